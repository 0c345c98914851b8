import { describe, expect } from 'vitest'
import { cancel } from '../testing/cancel'
import { gcloudOf } from '../testing/gcloud-stand-in'
import { it } from '../testing/lab-test'
import { until } from '../testing/until'

/**
 * Nodes of jobs as queued resources: gpuq's script, real workers and real containers. gcloud is a stand-in
 * (`testing/gcloud-stand-in`), whose virtual machines are processes of this machine. provision.db.test.ts has the faults, without
 * the script and containers.
 */

const spec = { fresh_nodes: true, gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }
const sleeps = 'import time\nprint("runs", flush=True)\ntime.sleep(600)'

describe('a queued resource', () => {
  it('is replaced if its node is lost, and the job is run again on the new node', async ({
    openQueuedResourcesLab,
  }) => {
    const provisioned = await openQueuedResourcesLab()
    const { lab } = provisioned
    const gcloud = gcloudOf(provisioned)
    await provisioned.startLeader()
    const code = `
import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"], flush=True)
time.sleep(600 if os.environ["GPUQ_ATTEMPT"] == "1" else 0)`
    const job = await lab.jobs.submit(code, { spec })
    await lab.jobs.untilPrinted(job, /attempt 1/)
    await provisioned.killNode(job, 0)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    await provisioned.untilEnded(job)
    expect(await gcloud.resources()).toEqual([])
    const changes = (await gcloud.calls()).filter((verb) => verb !== 'list')
    expect(changes).toEqual(['create', 'delete', 'create', 'delete'])
  })

  it('is deleted after its job was cancelled while it was requested', async ({ openQueuedResourcesLab }) => {
    const provisioned = await openQueuedResourcesLab()
    const { lab } = provisioned
    const gcloud = gcloudOf(provisioned)
    await gcloud.next('hang-create')
    await provisioned.startLeader()
    const job = await lab.jobs.submit(sleeps, { spec })
    await until('the request hangs', async () => (await gcloud.read('hangs')) === 'yes\n')
    await cancel(lab, job)
    await provisioned.untilEnded(job)
    expect(await gcloud.resources()).toEqual([])
  })
})
