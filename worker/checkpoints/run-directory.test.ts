import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { localCheckpoints, recreateLocal } from './local-checkpoints'
import { closeRuns, measureDirectory, openCheckpoints, runUser, sharedCheckpoints } from './run-directory'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-checkpoints-'))
})
afterAll(() => rm(root, { recursive: true }))

const run = (directory: string) => ({ id: 'run', projectId: 'project', userId: 'ada', directory })
const open = (name: string) => openCheckpoints(sharedCheckpoints(root, run(name)), runUser(run(name)))

it('are in the directory of the run, below that of its project', () => {
  expect(sharedCheckpoints('/shared', run('base-2'))).toBe('/shared/project/base-2')
})

it('persist between attempts with the same owner', async () => {
  const first = await open('kept')
  await writeFile(join(root, 'project/kept/state'), 'step 7')
  expect(await open('kept')).toEqual(first)
  expect((await stat(join(root, 'project/kept/state'))).size).toBe(6)
  expect((await open('other')).uid).not.toBe(first.uid)
})

it('are below a directory that no other account of the machine can enter, on the shared disk and on the node', async () => {
  await open('private')
  await chmod(join(root, 'project'), 0o711)
  await open('private')
  const local = localCheckpoints(join(root, 'tasks'), 'task')
  await recreateLocal(local)
  for (const directory of [join(root, 'project'), local.root])
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
})

it('directories of runs of a project that gpuq cannot trust are named, and those of other projects are closed', async () => {
  const [linked, open] = ['01a21af2-15c0-7b93-bb11-a9528b52ecd2', '01a21af2-15c0-7b93-bb11-a9528b52ecd3']
  const shared = join(root, 'disk')
  await mkdir(join(shared, open), { recursive: true, mode: 0o711 })
  await mkdir(join(root, 'elsewhere'), { mode: 0o755 })
  await symlink(join(root, 'elsewhere'), join(shared, linked))
  expect(await closeRuns(shared)).toEqual([expect.stringContaining(linked)])
  expect((await stat(join(shared, open))).mode & 0o777).toBe(0o700)
})

it('count their disk usage instead of their apparent size', async () => {
  const { path } = await open('measured')
  const empty = await measureDirectory(path)
  await writeFile(join(path, 'weights'), Buffer.alloc(1 << 20, 1))
  const full = await measureDirectory(path)
  expect(full - empty).toBeGreaterThanOrEqual(1 << 20)
  expect(await measureDirectory(path, 1000)).toBeGreaterThan(1000)
  expect(await measureDirectory(join(path, 'gone'))).toBe(0)
})
