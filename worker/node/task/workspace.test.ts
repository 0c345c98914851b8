import { afterAll, expect, it, vi } from 'vitest'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'

const task = {
  rank: 0,
  spec: {},
  command: 'true',
  project: { id: 'project', owner: 'ada', slug: 'thesis' },
  user: { handle: 'ada', uid: 1234, gid: 1234 },
  peers: [{ nodeName: 'node-2' }],
} as unknown as ClaimedTask

afterAll(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

/** What a worker that was started with this setting makes of a job that was accepted to work there. */
async function findOn(setting: string | null, workspace: string | null) {
  // The environment is read once a process.
  vi.resetModules()
  vi.stubEnv('GPUQ_WORKSPACES', setting ?? '')
  const { findWorkspace } = await import('./workspace')
  return findWorkspace({ ...task, workspace })
}

it('runs no job without the directory that it was accepted to work in, and says what to set where', async () => {
  await expect(findOn(null, '/data/thesis')).rejects.toThrow(
    "The job was accepted to work in /data/thesis, and the worker of node-2 has none for its project. Start it with the web server's GPUQ_WORKSPACES.",
  )
  await expect(findOn('/elsewhere', '/data/thesis')).rejects.toThrow(/node-2 has \/elsewhere\/ada\/thesis/)
})

it('has nothing to say where nobody set a directory', async () => {
  expect(await findOn(null, null)).toBeNull()
})
