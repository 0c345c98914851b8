import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { SlurmCluster } from '@/worker/slurm/testing/slurm-cluster'
import { test as browserTest } from '../browser-test'
import { bearer, call } from '../http-call'
import { ownSystemOptions, useOwnSystem } from '../own-system'
import { createUser, noLimits, type TestUser } from '../test-users'
import { configText, submit } from '../uploads'
import { startSystem } from './start-system'

/** gpuq on a real Slurm with two nodes of eight simulated GPUs. */

const nodeNames = ['n0', 'n1']

export const test = browserTest.extend<object, { slurm: SlurmCluster }>({
  slurm: [
    async ({ browserName: _ }, use) => {
      const slurm = await SlurmCluster.start({
        nodes: nodeNames.map((name) => ({ name, gpus: 8, shards: 0, gpuType: 'a100' })),
      })
      const directory = await mkdtemp(join(tmpdir(), 'gpuq-slurm-e2e-'))
      const system = await startSystem({
        workers: nodeNames.length,
        nodeNames,
        simulatedGpus: 8,
        env: {
          GPUQ_ENGINE: 'slurm',
          GPUQ_SLURM_ADMIN: 'true',
          GPUQ_SLURM_POLL_S: '1',
          GPUQ_SLURM_DIRECTORY: directory,
          ...slurm.env,
        },
      })
      await useOwnSystem(system, () => use(slurm))
      await slurm.stop()
      await rm(directory, { recursive: true, force: true })
    },
    ownSystemOptions,
  ],
})

/** All GPUs of both nodes: whatever comes later waits. */
const everything = { gpu_count: 8, instance_count: 2, max_time: 600 }
export const forever = 'import time\nprint("started", flush=True)\nwhile True: time.sleep(0.1)'

/** Creates a user once the leader has read the cluster, which it does before the first job. */
export async function createSlurmUser(): Promise<TestUser> {
  const person = await createUser({ name: 'slurm', limits: noLimits })
  const headers = bearer(person.token)
  await expect
    .poll(async () => JSON.parse((await call('/api/slurm', { headers })).text).totals?.ready_nodes)
    .toBe(2)
  return person
}

/** Occupies the whole cluster, and returns the id of the job that does it. */
export async function occupyAll(person: TestUser): Promise<string> {
  const id = await submit(person, forever, configText(everything))
  await expect.poll(async () => (await person.client.jobs.get(id)).status).toBe('running')
  return id
}
