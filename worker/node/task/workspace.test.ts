import { afterAll, expect, it, vi } from 'vitest'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { readSpec } from '@/lib/contract/config/stored-spec'

const task = {
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
async function findOn(setting: string | null, workspace: string | null) {
  // The environment is read once per process.
  vi.resetModules()
  vi.stubEnv('GPUQ_WORKSPACES', setting ?? '')
  const { findWorkspace } = await import('./workspace')
  return findWorkspace({ ...task, workspace })
}

it('runs no job without its shared directory, and says what to change', async () => {
  await expect(findOn(null, '/data/thesis')).rejects.toThrow(
    "The job was accepted to work in /data/thesis, and the worker of node-2 has none for its project. Start it with the web server's GPUQ_WORKSPACES.",
  )
  await expect(findOn('/elsewhere', '/data/thesis')).rejects.toThrow(/node-2 has \/elsewhere\/ada\/thesis/)
})

it('returns null if no directory is configured', async () => {
  expect(await findOn(null, null)).toBeNull()
})
