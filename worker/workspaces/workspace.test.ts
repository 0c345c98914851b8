import { chown, lstat, mkdtemp, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { readSpec } from '@/lib/contract/config/stored-spec'

const task = {
  id: '0190a3b4-0000-7000-8000-000000000001',
  rank: 0,
  spec: readSpec({}),
  command: 'true',
  project: { id: 'project', owner: 'ada', slug: 'thesis' },
  user: { handle: 'ada', uid: 1234, gid: 1234 },
  peers: [{ nodeName: 'node-2' }],
} as unknown as ClaimedTask

afterAll(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

/** Returns what a worker with this setting does with a job that was accepted for a directory. */
async function findOn(setting: string | null, workspace: string | null, claimed: object = task) {
  // The environment is read once per process.
  vi.resetModules()
  vi.stubEnv('GPUQ_WORKSPACES', setting ?? '')
  const { findWorkspace } = await import('./workspace')
  return findWorkspace({ ...claimed, workspace } as unknown as ClaimedTask)
}

it('runs no job without its shared directory, and says what to change', async () => {
  await expect(findOn(null, '/data/thesis')).rejects.toThrow(
    "The job was accepted to work in /data/thesis, and the worker of node-2 has none for its project. Start it with the web server's GPUQ_WORKSPACES.",
  )
  await expect(findOn('/elsewhere', '/data/thesis')).rejects.toThrow(/node-2 has \/elsewhere\/ada\/thesis/)
})

it('runs a job of a user without a uid in a directory of all users, but never as root', async () => {
  const path = await mkdtemp(join(homedir() === '/root' ? '/srv' : homedir(), 'gpuq-workdir-'))
  try {
    const plain = {
      ...task,
      project: { ...task.project, slug: 'default' },
      user: { ...task.user, uid: null },
    }
    const { uid, gid } = await lstat(path)
    const found = await findOn(`*/default=${path}`, path, plain)
    if (uid >= 1000) expect(found).toEqual({ path, uid, gid, startsHere: true })
    else expect(found).toMatchObject({ path, startsHere: true, gid: 10_001 })
    expect(found?.uid).toBeGreaterThanOrEqual(1000)
    if (process.getuid?.() !== 0) return
    await chown(path, 4321, 4322)
    expect(await findOn(`*/default=${path}`, path, plain)).toMatchObject({ uid: 4321, gid: 4322 })
  } finally {
    await rm(path, { recursive: true })
  }
})

it('returns null if no directory is configured', async () => {
  expect(await findOn(null, null)).toBeNull()
})
