import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { artifacts } from './commands/artifacts'
import { fakeContext, jobId } from './testing/fake-context'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gpuq-cli-'))
})
afterEach(() => rm(directory, { recursive: true }))

/** A server that serves these files. The content of each file is its own path. */
function serverOf(...paths: string[]) {
  const found = paths.map((path, index) => ({
    artifact_id: String(index),
    rank: 0,
    path,
    bytes: path.length,
    sha256: '',
    stored_at: '2026-01-01T00:00:00Z',
  }))
  return fakeContext((request) => {
    const id = /artifacts\/(\d+)$/.exec(new URL(request.url).pathname)?.[1]
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
  expect(await artifacts(serverOf(...paths), jobId, { output: into })).toBe(0)
  expect(await readdir(directory)).toEqual(['in'])
  expect(await readdir(join(directory, 'in'))).toEqual(['to'])
  expect(await readFile(join(into, 'a/b.txt'), 'utf8')).toBe('a/b.txt')
  expect(await readFile(join(into, '_/_/outside'), 'utf8')).toBe('../../outside')
  expect(await readFile(join(into, '_/etc/passwd'), 'utf8')).toBe('/etc/passwd')
  const files = (await readdir(into, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  )
  expect(files).toHaveLength(paths.length)
})

it('does not follow links out of the directory', async () => {
  const into = join(directory, 'into')
  await mkdir(into)
  await symlink(directory, join(into, 'out'))
  await expect(artifacts(serverOf('out/stolen'), jobId, { output: into })).rejects.toThrow(/is outside of/)
  await symlink(join(directory, 'target'), join(into, 'file'))
  await artifacts(serverOf('file'), jobId, { output: into })
  expect(await readdir(directory)).toEqual(['into'])
})
