import { describe, expect } from 'vitest'
import { cancel } from '../testing/cancel'
import { gcloudOf } from '../testing/gcloud-stand-in'
import { it } from '../testing/lab-test'
import type { ProvisionedLab } from '../testing/provisioned-lab'
import { expectAllTrue } from '../testing/truth'
import { until } from '../testing/until'

/**
 * Nodes of jobs as queued resources: gpuq's script, real workers and real containers. gcloud is a stand-in
 * (`testing/gcloud-stand-in`), whose virtual machines are processes of this machine.
 */

const spec = { fresh_nodes: true, gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }
const sleeps = 'import time\nprint("runs", flush=True)\ntime.sleep(600)'

interface End {
  end: string
  code: string
  timeLimitS?: number
  act?: (provisioned: ProvisionedLab, job: string) => Promise<void>
  expected: { status: string; reason: string }
}

const ends: End[] = [
  { end: 'completed', code: 'print("done")', expected: { status: 'completed', reason: 'finished' } },
  { end: 'failed', code: 'raise SystemExit(3)', expected: { status: 'failed', reason: 'exit_code' } },
  { end: 'timed out', code: sleeps, timeLimitS: 2, expected: { status: 'failed', reason: 'timeout' } },
  {
    end: 'was cancelled',
    code: sleeps,
    act: async ({ lab }, job) => {
      await lab.jobs.untilPrinted(job, /runs/)
      await cancel(lab, job)
    },
    expected: { status: 'cancelled', reason: 'cancelled_by_user' },
  },
  {
    end: 'lost its worker for good',
    code: sleeps,
    act: async (provisioned, job) => {
      await provisioned.lab.jobs.untilPrinted(job, /runs/)
      await provisioned.killNode(job, 0)
    },
    expected: { status: 'failed', reason: 'node_lost' },
  },
]

describe('a queued resource', () => {
  it.for(ends)(
    'is deleted after its job $end',
    async ({ code, timeLimitS = 900, act, expected }, { openQueuedResourcesLab }) => {
      const provisioned = await openQueuedResourcesLab()
      const { lab } = provisioned
      const gcloud = gcloudOf(provisioned)
      await provisioned.startLeader()
      const job = await lab.jobs.submit(code, { spec, timeLimitS, maxRetries: 0 })
      await act?.(provisioned, job)
      expect(await lab.jobs.untilFinal(job)).toMatchObject(expected)
      await provisioned.untilEnded(job)
      expect(await gcloud.resources()).toEqual([])
    },
  )

  it('serves its job on after gpuq was killed, and is deleted after the end', async ({
    openQueuedResourcesLab,
  }) => {
    const provisioned = await openQueuedResourcesLab()
    const { lab } = provisioned
    const gcloud = gcloudOf(provisioned)
    const leader = await provisioned.startLeader()
    const job = await lab.jobs.submit(sleeps.replace('600', '5'), { spec })
    await lab.jobs.untilPrinted(job, /runs/)
    await leader.kill()
    expect(await gcloud.resources()).toEqual([`gpuq-${job}`])
    leader.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await provisioned.untilEnded(job)
    expect(await gcloud.resources()).toEqual([])
    expect((await gcloud.calls()).filter((verb) => verb === 'create')).toHaveLength(1)
    await expectAllTrue(lab)
  })

  it('is deleted and requested again if gpuq was killed during the request', async ({
    openQueuedResourcesLab,
  }) => {
    const provisioned = await openQueuedResourcesLab()
    const { lab } = provisioned
    const gcloud = gcloudOf(provisioned)
    await gcloud.next('hang-create')
    const leader = await provisioned.startLeader()
    const job = await lab.jobs.submit('print("at last")', { spec })
    await until('the request hangs', async () => (await gcloud.read('hangs')) === 'yes\n')
    await leader.kill()
    leader.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed' })
    await provisioned.untilEnded(job)
    expect(await gcloud.resources()).toEqual([])
  })

  it('is deleted if gpuq was killed after the end of the job, and the deletion fails at first', async ({
    openQueuedResourcesLab,
  }) => {
    const provisioned = await openQueuedResourcesLab()
    const { lab } = provisioned
    const gcloud = gcloudOf(provisioned)
    await gcloud.next('fail-delete')
    const leader = await provisioned.startLeader()
    const job = await lab.jobs.submit('print("done")', { spec })
    await until('the deletion failed', async () => (await gcloud.calls()).includes('delete'))
    await leader.kill()
    expect(await gcloud.resources()).toEqual([`gpuq-${job}`])
    leader.start()
    await provisioned.untilEnded(job)
    expect(await gcloud.resources()).toEqual([])
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'completed' })
  })
})
