import { lstat, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { readSpec } from '@/lib/contract/config/stored-spec'
import type { NodeContext } from '../node/node-context'
import type { TaskStart } from '../node/task/task-hook'
import { claimedTask } from '../node/task/testing/claimed-task'

let root = ''
let home = ''
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'gpuq-host-')))
  home = join(root, 'home')
  for (const path of ['home/project/src', 'home/data', 'conda/bin', 'conda/conda-meta', 'bare/bin'])
    await mkdir(join(root, path), { recursive: true })
  for (const path of ['home/project/train.py', 'home/project/src/deep.py', 'home/top.py', 'home/data/own.py'])
    await writeFile(join(root, path), 'print(1)')
  await writeFile(join(root, 'conda/bin/python'), '#!/bin/sh\n')
  await symlink(join(home, 'project'), join(root, 'linked'))
  await symlink(join(home, 'project/src/deep.py'), join(home, 'project/linked.py'))
  await symlink(join(home, 'project/train.py'), join(home, 'data/other.py'))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  vi.resetModules()
  await rm(root, { recursive: true, force: true })
})

/** Returns what a job gets on a worker whose data directory is `home/data`. */
async function prepare(
  spec: Record<string, unknown>,
  { allowed = 'true', rootless = false }: { allowed?: string; rootless?: boolean } = {},
) {
  // The environment is read once per process.
  vi.resetModules()
  vi.stubEnv('GPUQ_HOST_FILES', allowed)
  vi.stubEnv('GPUQ_DATA_DIR', join(home, 'data'))
  const { hostFiles } = await import('./task-hook')
  const hook = hostFiles({ runtime: { facts: { usesRootless: async () => rootless } } } as NodeContext)
  const task = { ...claimedTask, spec: readSpec(spec) }
  return hook.prestart?.({ task } as TaskStart)
}

const find = async (...job: Parameters<typeof prepare>) => (await prepare(...job))?.workspace

const shown = (mounts: { source: string; target: string; readOnly: boolean }[] = []) =>
  mounts.map(({ source, target, readOnly }) =>
    [source, target, readOnly ? 'ro' : 'rw'].join(' ').replaceAll(root, ''),
  )

it('mounts the directory of the script, and the conda environment read-only', async () => {
  const found = await find({
    host_script: join(home, 'project/train.py'),
    conda_prefix: join(root, 'conda'),
  })
  expect(shown(found?.mounts)).toEqual(['/home/project /home/project rw', '/conda /conda ro'])
  const owner = await lstat(join(home, 'project'))
  expect(found).toMatchObject({
    path: join(home, 'project'),
    uid: owner.uid,
    gid: owner.gid,
    startsHere: true,
    hidden: [],
  })
  expect(found?.mounts.every(({ recursive }) => recursive)).toBe(true)
})

it('the real directories behind links are mounted too, each once', async () => {
  const through = await find({ host_script: join(root, 'linked/train.py') })
  expect(shown(through?.mounts)).toEqual(['/home/project /linked rw', '/home/project /home/project rw'])
  const inside = await find({ host_script: join(home, 'project/linked.py') })
  expect(shown(inside?.mounts)).toEqual(['/home/project /home/project rw'])
})

it('hides the data of gpuq, and mounts nothing that is mounted beside it', async () => {
  const found = await find({ host_script: join(home, 'top.py') })
  expect(found).toMatchObject({ path: home, hidden: [join(home, 'data')] })
  expect(found?.mounts).toMatchObject([{ recursive: false }])
})

it('runs as uid 0 of a rootless engine, which is the user', async () => {
  const found = await find({ host_script: join(home, 'project/train.py') }, { rootless: true })
  expect(found).toMatchObject({ uid: 0, gid: 0 })
})

it('mounts nothing for other jobs', async () => {
  expect(await prepare({})).toEqual({})
})

it('runs the script at its own path, with its arguments', async () => {
  const script = join(home, 'project/train.py')
  const spec = { host_script: script, args: ['--epochs', '1'] }
  expect((await prepare(spec))?.command).toEqual(['python', '-u', script, '--epochs', '1'])
  const conda = join(root, 'conda')
  const { command } = (await prepare({ ...spec, conda_prefix: conda })) ?? {}
  expect(command?.slice(-4)).toEqual([conda, script, '--epochs', '1'])
})

it.each([
  ['a worker that does not allow it', 'project/train.py', undefined, 'false', /does not allow it/],
  ['a missing script', 'project/gone.py', undefined, 'true', /gone\.py does not exist\. Restore it/],
  ['a directory as the script', 'project/src', undefined, 'true', /is not a file/],
  ['a script in the data directory', 'data/own.py', undefined, 'true', /is in gpuq's data directory/],
  [
    'no conda environment',
    'project/train.py',
    'bare',
    'true',
    /conda environment .*conda-meta does not exist/,
  ],
] as const)('refuses %s, and says what to change', async (_, script, prefix, allowed, message) => {
  const conda: Record<string, string> = prefix === undefined ? {} : { conda_prefix: join(root, prefix) }
  await expect(find({ host_script: join(home, script), ...conda }, { allowed })).rejects.toThrow(message)
})

it('refuses directories that a container needs itself', async () => {
  await expect(find({ host_script: '/etc/hostname' })).rejects.toThrow(/a container needs \/etc/)
})
