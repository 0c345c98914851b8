import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { queueSchema } from '@/lib/contract/cluster/cluster'
import { createFakeNode } from './system/fake-node'
import { theSystem } from './system/the-system'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, fileOf, submit, waitingConfig } from './uploads'

/** Tests the built `gpuq` as a user runs it. */

const program = join(import.meta.dirname, '..', 'dist', 'cli.js')
/** Small requests, so that the jobs of many tests fit side by side. */
const small = ['--gpus', '0', '--cpu', '0.5', '--memory', '0.25', '--expected-time', '60']

let home: string
let person: TestUser

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'gpuq-cli-'))
  person = await createUser({ name: 'typist', limits: noLimits })
  const signedIn = await gpuq(['login', '--server', theSystem().url, '--token-stdin'], {
    input: person.token,
  })
  expect(signedIn).toMatchObject({ code: 0, err: '' })
  expect(signedIn.out).toContain(`as ${person.handle}`)
})
afterAll(() => rm(home, { recursive: true, force: true }))

interface Ended {
  code: number | null
  out: string
  err: string
}

function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  const { PATH = '' } = process.env
  return spawn(process.execPath, [program, ...args], {
    env: { PATH, HOME: home, NODE_ENV: 'production', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

function gpuq(
  args: string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  const child = start(args, env)
  const end = ended(child)
  child.stdin?.end(input)
  return end
}

function ended(child: ChildProcess): Promise<Ended> {
  const seen = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    seen.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    seen.err += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ ...seen, code }))
  })
}

async function solution(code: string): Promise<string> {
  const path = join(home, `solution-${Math.random().toString(36).slice(2)}.py`)
  await writeFile(path, code)
  return path
}

it('login stores a valid token for its owner only, and does not store an invalid one', async () => {
  const path = join(home, '.config', 'gpuq', 'config.json')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const before = await readFile(path, 'utf8')
  const refused = await gpuq(['login', '--server', theSystem().url, '--token-stdin'], {
    input: 'not a token',
  })
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toMatch(/^gpuq: .+\n$/)
  expect(await readFile(path, 'utf8')).toBe(before)
})

it("submit prints stdout and stderr separately and exits with the program's exit code", async () => {
  const path = await solution(
    'import sys\nprint("to stdout")\nprint("to stderr", file=sys.stderr)\nsys.exit(3)\n',
  )
  const ended = await gpuq(['submit', path, '--name', 'exits with 3', ...small])
  expect(ended).toMatchObject({ code: 3, out: 'to stdout\n' })
  expect(ended.err).toContain('to stderr\n')
  expect(ended.err).toContain('Exit code 3.')
})

it('run queues a command and exits with 0 when it completes', async () => {
  const words = ['--', 'sh', '-c', 'echo "two  words" $0', "it's"]
  expect(await gpuq(['run', '--gpus', '0', '-q', ...words])).toEqual({
    code: 0,
    out: "two  words it's\n",
    err: '',
  })
  const later = await gpuq(['run', '--gpus', '0', '--no-wait', '--json', 'exit 4'])
  const { job_id: id } = JSON.parse(later.out) as { job_id: string }
  expect(await gpuq(['wait', id])).toMatchObject({ code: 4 })
})

/** Prints 20 bursts per second. */
const printer = `
import sys, time
began = time.monotonic()
for burst in range(40):
    sys.stdout.write("".join(f"line {line}\\n" for line in range(burst * 1000, (burst + 1) * 1000)))
    sys.stdout.flush()
    time.sleep(max(0, began + (burst + 1) / 20 - time.monotonic()))
`

it('logs -f follows a job that prints 20,000 lines per second, without lost or reordered lines', async () => {
  const path = await solution(printer)
  const { out: id } = await gpuq(['submit', path, '--no-wait', ...small])
  const followers = await Promise.all([gpuq(['logs', '-f', id.trim()]), gpuq(['logs', '-f', id.trim()])])
  const printed = Array.from({ length: 40_000 }, (_, line) => `line ${line}\n`).join('')
  for (const { code, out, err } of followers) {
    expect({ code, err }).toEqual({ code: 0, err: '' })
    // Compare without printing the values: a difference would print megabytes.
    expect(out === printed, `${out.length} of ${printed.length} characters`).toBe(true)
  }
  expect((await gpuq(['logs', id.trim()])).out === printed).toBe(true)
})

it('submit --json waits and prints only the result', async () => {
  const path = await solution('print(\'{"loss": 0.1}\')\nraise SystemExit(5)\n')
  const ended = await gpuq(['submit', path, '--json', ...small])
  expect(ended).toMatchObject({ code: 5, err: '' })
  expect(JSON.parse(ended.out)).toMatchObject({ status: 'failed', exit_code: 5, results: [{ loss: 0.1 }] })
})

it('results prints the file to stdout or writes it to a file', async () => {
  const path = await solution('print(\'{"accuracy": 0.93}\')\n')
  const { out } = await gpuq(['submit', path, '--no-wait', ...small])
  const id = out.trim()
  expect(await gpuq(['wait', id])).toMatchObject({ code: 0 })
  await fileOf(person, id)
  const printed = await gpuq(['results', id])
  const types = printed.out
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type)
  expect([types[0], types.includes('result'), types.at(-1)]).toEqual(['job', true, 'exit'])
  const file = join(home, 'results.jsonl')
  expect(await gpuq(['results', id, '-o', file])).toEqual({ code: 0, out: '', err: '' })
  expect(await readFile(file, 'utf8')).toBe(printed.out)
})

it('submit --depends-on starts a job after another one, and cancels it if that one does not complete', async () => {
  const first = await submit(person, 'print(1)', waitingConfig)
  const path = await solution('print(2)')
  const { out } = await gpuq(['submit', path, '--no-wait', '--depends-on', first, ...small])
  const second = out.trim()
  expect((await gpuq(['status', second])).out).toContain(`Not completed: ${first}.`)
  expect(await gpuq(['cancel', first])).toMatchObject({ code: 0 })
  expect(await gpuq(['wait', second])).toMatchObject({ code: 130 })
  expect((await gpuq(['status', second])).out).toContain(`The job ${first} has ended as cancelled.`)
  const late = await gpuq(['submit', path, '--depends-on', first, ...small])
  expect(late).toMatchObject({ code: 1, out: '' })
  expect(late.err).toContain('Run that again, and name the new one')
  const done = await submit(person, 'print(1)', configText(), { wait: true })
  expect(await gpuq(['submit', path, '-q', '--depends-on', done, ...small])).toMatchObject({
    code: 0,
    out: '2\n',
  })
})

it('add names a job that has completed, and submits it again with --force', async () => {
  const path = await solution('print("added")\n')
  const id = (await gpuq(['add', path])).out.trim()
  expect(await gpuq(['wait', id])).toMatchObject({ code: 0 })
  const known = await gpuq(['add', path])
  expect(known).toMatchObject({ code: 0, out: `${id}\n` })
  expect(known.err).toContain('the same job is already completed')
  const forced = await gpuq(['add', path, '--force', '--priority', '7', '--gpus', '0,1'])
  expect(forced).toMatchObject({ code: 0, err: '' })
  expect(forced.out).not.toBe(known.out)
  // As in a jobs file, the smallest number comes first.
  expect((await person.client.jobs.get(forced.out.trim())).priority).toBe(-7)
})

it('waiting jobs can be listed, reprioritized, cancelled and waited for', async () => {
  const id = await submit(person, 'print(1)', waitingConfig)
  const { queued } = queueSchema.parse(JSON.parse((await gpuq(['queue', '--json'])).out))
  expect(queued.some((job) => job.job_id === id)).toBe(true)
  expect((await gpuq(['queue'])).out).toContain(id)
  expect(await gpuq(['priority', id, '--', '-3'])).toMatchObject({ code: 0, err: '' })
  expect((await gpuq(['status', id])).out).toMatch(/^priority +-3$/m)
  expect((await gpuq(['jobs', '--status', 'pending'])).out).toContain(id)
  expect(await gpuq(['cancel', id])).toEqual({ code: 0, out: `${id} cancelled\n`, err: '' })
  expect(await gpuq(['wait', id])).toMatchObject({ code: 130 })
})

it('Ctrl-C leaves a job running, and cancel ends a command that follows it', async () => {
  const path = await solution('import time\nprint("started", flush=True)\ntime.sleep(3600)\n')
  const { out } = await gpuq(['submit', path, '--no-wait', ...small, '--max-time', '1h'])
  const id = out.trim()
  const follower = start(['logs', '-f', id])
  const left = ended(follower)
  await new Promise((resolve) => follower.stdout?.once('data', resolve))
  follower.kill('SIGINT')
  expect(await left).toMatchObject({ code: 130 })
  expect((await person.client.jobs.get(id)).status).toBe('running')
  const other = start(['logs', '-f', id])
  const end = ended(other)
  // The first output shows that the command follows the job.
  await new Promise((resolve) => other.stdout?.once('data', resolve))
  await gpuq(['cancel', id])
  expect(await end).toMatchObject({ code: 130, out: 'started\n' })
})

it('only admins can pause and resume a GPU', async () => {
  const { url, adminToken } = theSystem()
  const env = { GPUQ_SERVER: url, GPUQ_TOKEN: adminToken }
  const { nodes } = await person.client.cluster.get()
  const node = nodes.find(({ simulated, gpus }) => !simulated && gpus.length > 0)
  const gpu = node?.gpus.at(-1)
  if (!node || !gpu) throw new Error('there is no node with a GPU')
  const place = `${node.name}:${gpu.index}`
  const stateOf = async () => {
    const now = await person.client.cluster.get()
    return now.nodes.flatMap(({ gpus }) => gpus).find(({ gpu_id }) => gpu_id === gpu.gpu_id)?.state
  }
  expect(await gpuq(['pause', place])).toMatchObject({ code: 1, out: '' })
  try {
    expect(await gpuq(['pause', place, '--reason', 'a new fan'], { env })).toMatchObject({ code: 0, err: '' })
    expect(await stateOf()).toBe('paused')
    expect((await gpuq(['nodes'])).out).toContain('a new fan')
  } finally {
    expect(await gpuq(['resume', place], { env })).toMatchObject({ code: 0, err: '' })
  }
  expect(await stateOf()).not.toBe('paused')
  expect((await gpuq(['pause', 'no-such-node'], { env })).err).toContain('Node no-such-node not found.')
})

it('admins can remove lost nodes and GPUs, but not connected ones', async () => {
  const { url, adminToken } = theSystem()
  const env = { GPUQ_SERVER: url, GPUQ_TOKEN: adminToken }
  const node = await createFakeNode('cli-gone', 'Stand-in GPU')
  expect((await gpuq(['forget', 'cli-gone'], { env })).err).toContain('A worker serves cli-gone.')
  await node.loseGpu(1)
  expect(await gpuq(['forget', 'cli-gone:1'])).toMatchObject({ code: 1, out: '' })
  expect((await gpuq(['forget', 'cli-gone:1'], { env })).out).toContain('GPU 1 on cli-gone removed.')
  await node.leave()
  expect((await gpuq(['forget', 'cli-gone'], { env })).out).toContain('cli-gone removed.')
  expect((await gpuq(['nodes'])).out).not.toContain('cli-gone')
})

it('tokens can be created, listed and revoked', async () => {
  const made = await gpuq(['tokens', 'create', 'for a script', '--scope', 'read', '--expires', '1'])
  const env = { GPUQ_SERVER: theSystem().url, GPUQ_TOKEN: made.out.trim() }
  expect(await gpuq(['jobs'], { env })).toMatchObject({ code: 0 })
  const found = (await person.client.tokens.list()).items.find(({ name }) => name === 'for a script')
  expect((await gpuq(['tokens'])).out).toContain(found?.token_id)
  expect(await gpuq(['tokens', 'revoke', found?.token_id ?? ''])).toMatchObject({ code: 0, err: '' })
  expect(await gpuq(['jobs'], { env })).toMatchObject({ code: 1, out: '' })
})

it('an error prints one sentence, and the exit code tells its kind', async () => {
  const path = await solution('print(1)\n')
  expect(await gpuq(['status', 'no-id'])).toMatchObject({ code: 2 })
  expect(await gpuq(['jobs', '--bogus'])).toMatchObject({ code: 2 })
  expect(await gpuq(['submit', 'missing.py'])).toEqual({
    code: 1,
    out: '',
    err: 'gpuq: Cannot read missing.py: no such file or directory.\n',
  })
  const refused = await gpuq(['submit', path, ...small, '--cpu', '100000'])
  expect(refused).toMatchObject({ code: 1, err: 'gpuq: --cpu: must be at most 1024\n' })
})
