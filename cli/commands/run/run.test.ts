import { expect, it } from 'vitest'
import { createProgram } from '../../program'
import { fakeContext, jobId } from '../../testing/fake-context'
import { run } from './run'

createProgram()

const unused = () =>
  fakeContext(() => {
    throw new Error('a request')
  })
const directory = import.meta.dirname

it.each([
  [{ instance_count: 2 }, '--nodes'],
  [{ cpu: 4 }, '--cpu'],
  [{ memory_gb: 8 }, '--memory'],
  [{ run_name: 'a' }, '--run-name'],
  [{ fresh_nodes: true }, '--fresh-nodes'],
])('a command without a directory cannot have %o, and the error names the option', async (options, flag) => {
  await expect(run(unused(), ['true'], options)).rejects.toThrow(
    `${flag} needs a directory: use --with-dir, --sync or --command "…" DIRECTORY.`,
  )
})

it.each(['--command', '--nodes=2', '--memory'])(
  'the option %s after a directory is refused, and not made part of the command',
  async (word) => {
    const [flag] = word.split('=')
    await expect(run(unused(), [directory, word, '2'], {})).rejects.toThrow(
      `${flag} must come before the directory ${directory}.`,
    )
  },
)

it.each([
  [undefined, /^The command is missing: .* gpuq run -- nvidia-smi\.$/],
  [
    'sh a.sh',
    /--command uploads a directory, which is missing: .*--command 'sh a\.sh' \. .*gpuq run -- 'sh a\.sh'$/,
  ],
])('a run without a command or a directory says what to write: %s', async (command, message) => {
  await expect(run(unused(), [], command === undefined ? {} : { command })).rejects.toThrow(message)
})

const answers = (shared: string | null) =>
  fakeContext((request) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/api/archives')
      return Response.json({ max_bytes: 1, max_entries: 1, max_depth: 1, shared_directory: shared })
    return Response.json(
      { job_id: jobId, run_id: null, status: 'queued', deduplicated: false },
      { status: 202 },
    )
  })

const hint =
  'gpuq: package.json, cli/index.ts are in this directory, but not sent with the command, so the job will not find them. Add --with-dir before -- to send the directory, or --sync to bring changed files back, too.\n'

it('a command that names files of the current directory is queued with a hint how to send them', async () => {
  const context = answers(null)
  const words = ['cat', 'package.json', '--of=cli/index.ts', 'missing.py', 'cli', '.', '../main']
  expect(await run(context, words, { wait: false })).toBe(0)
  expect(context.written).toEqual({ out: `${jobId}\n`, err: hint })
})

it.each([
  ['quiet', { quiet: true }, null],
  ['with an archive', { archive: 'code' }, null],
  ['in a directory that the cluster shares', {}, process.cwd()],
])('no hint about files that are not sent: a command %s', async (_, options, shared) => {
  const context = answers(shared)
  await run(context, ['cat', 'package.json'], { wait: false, ...options })
  expect(context.written.err).toBe('')
})
