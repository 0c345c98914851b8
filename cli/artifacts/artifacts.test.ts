import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeContext, idOf, jobId } from '../testing/fake-context'
import { artifacts } from './artifacts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-cli-'))
})
afterEach(() => rm(directory, { recursive: true }))

/** A server that serves these files. The content of each file is its own path. */
function serverOf(...paths: string[]) {
  const found = paths.map((path, index) => ({
    artifact_id: idOf(index),
    rank: 0,
    path,
    bytes: Buffer.byteLength(path),
    sha256: '',
    stored_at: '2026-01-01T00:00:00Z',
  }))
  return fakeContext((request) => {
    const id = /artifacts\/[\w-]{24}(\d+)$/.exec(new URL(request.url).pathname)?.[1]
    if (id === undefined)
      return Response.json({ artifacts: found, files_deleted: null, deleted_after_days: null })
    return new Response(paths[Number(id)])
  })
}

it('lists the files and strips control characters from their paths', async () => {
  const context = serverOf('a/model.bin', 'evil\u001b[2J\u202e\n.txt')
  expect(await artifacts(context, jobId, {})).toBe(0)
  expect(context.written.out).toContain('a/model.bin')
  for (const mark of ['\u001b', '\u202e']) expect(context.written.out).not.toContain(mark)
  expect(context.written.out.split('\n')).toHaveLength(4)
})

it('saves every file below the directory, whatever its path', async () => {
  const paths = ['a/b.txt', '../../outside', '/etc/passwd', 'C:\\x', 'n\u0000ul\n', 'n_ul_', '', '.']
  const into = join(directory, 'in', 'to')
  const context = serverOf(...paths)
  expect(await artifacts(context, jobId, { output: into })).toBe(0)
  expect(await readdir(directory)).toEqual(['in'])
  expect(await readdir(join(directory, 'in'))).toEqual(['to'])
  expect(await readFile(join(into, 'a/b.txt'), 'utf8')).toBe('a/b.txt')
  expect(await readFile(join(into, '_/_/outside'), 'utf8')).toBe('../../outside')
  expect(await readFile(join(into, '_/etc/passwd'), 'utf8')).toBe('/etc/passwd')
  const files = (await readdir(into, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  )
  expect(files).toHaveLength(paths.length)
  expect(context.written.err.match(/ is saved as /g)).toHaveLength(6)
  expect(context.written.err).toContain(
    'gpuq: n\\u{0}ul\\u{a} is saved as n_ul_-2, because this system cannot',
  )
})

it('saves the names that the job wrote, without a word', async () => {
  const long = `run_model=resnet50_${'lr=0.001_'.repeat(20)}.csv`
  const paths = ['epoch:3.ckpt', 'confusion_A.txt', 'confusion_a.txt', 'what?.txt', 'v1.', 'aux.log', long]
  const context = serverOf(...paths)
  expect(await artifacts(context, jobId, { output: directory })).toBe(0)
  expect((await readdir(directory)).toSorted()).toEqual(paths.toSorted())
  expect(await readFile(join(directory, 'confusion_A.txt'), 'utf8')).toBe('confusion_A.txt')
  expect(context.written.err).toBe('')
})

it('does not follow links out of the directory', async () => {
  const into = join(directory, 'into')
  await mkdir(into)
  await symlink(directory, join(into, 'out'))
  const context = serverOf('out/stolen')
  expect(await artifacts(context, jobId, { output: into })).toBe(1)
  expect(context.written.err).toContain('out/stolen is not saved: out is a link here')
  await symlink(join(directory, 'target'), join(into, 'file'))
  await artifacts(serverOf('file'), jobId, { output: into })
  expect(await readdir(directory)).toEqual(['into'])
})

it('does not create a directory behind a link', async () => {
  const into = join(directory, 'into')
  await mkdir(join(directory, 'elsewhere'))
  await mkdir(into)
  await symlink(join(directory, 'elsewhere'), join(into, 'a'))
  const context = serverOf('a/b/c')
  expect(await artifacts(context, jobId, { output: into })).toBe(1)
  expect(context.written.err).toContain('a/b/c is not saved: a is a link here')
  expect(await readdir(join(directory, 'elsewhere'))).toEqual([])
})

it('names each file that cannot be saved, and saves the others', async () => {
  await mkdir(join(directory, 'model'))
  const long = Array.from({ length: 20 }, () => 'x'.repeat(80)).join('/')
  const context = serverOf('first', 'model', long, 'caf\ufffd.log', 'last')
  expect(await artifacts(context, jobId, { output: directory })).toBe(1)
  expect(await readdir(directory)).toEqual(['caf_.log', 'first', 'last', 'model'])
  const advice = "Download it from the job's page.\n"
  expect(context.written.err).toBe(
    `gpuq: model is not saved: it cannot be written: EISDIR. ${advice}gpuq: ${long} is not saved: its path is longer than 1024 bytes. ${advice}gpuq: caf\ufffd.log is saved as caf_.log, because this system cannot hold its name here.\n`,
  )
})

it('removes no file of the user to save a download', async () => {
  await writeFile(join(directory, 'model.part'), 'mine')
  await artifacts(serverOf('model'), jobId, { output: directory })
  expect(await readdir(directory)).toEqual(['model', 'model.part'])
})

it('leaves nothing behind of a download that is longer than announced', async () => {
  const endless = serverOf('model')
  endless.client.jobs.artifact = async () => new Response('x'.repeat(100_000))
  await expect(artifacts(endless, jobId, { output: directory })).rejects.toThrow('more than it announced')
  expect(await readdir(directory)).toEqual([])
})

it('keeps back what would change the rules or the hooks of the user, and says so', async () => {
  await writeFile(join(directory, '.gpuqignore'), 'secrets/')
  const context = serverOf('.gpuqignore', 'a/.GitIgnore', '.git/hooks/pre-commit', 'model')
  expect(await artifacts(context, jobId, { output: directory })).toBe(0)
  expect(await readdir(directory)).toEqual(['.gpuqignore', 'model'])
  expect(await readFile(join(directory, '.gpuqignore'), 'utf8')).toBe('secrets/')
  expect(context.written.err.match(/ is not saved, because /g)).toHaveLength(3)
})
