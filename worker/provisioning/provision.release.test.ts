import { describe, expect } from 'vitest'
import { it } from '../testing/lab-test'
import { expectAllTrue } from '../testing/truth'
import { until } from '../testing/until'

const spec = { fresh_nodes: true, gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }

describe('nodes provisioned for one job', () => {
  it('are provisioned again if one is lost, and the job continues there', async ({ openProvisionedLab }) => {
    const provisioned = await openProvisionedLab()
    const { lab } = provisioned
    await provisioned.startLeader()
    const code = `
import os, time
print("attempt", os.environ["GPUQ_ATTEMPT"], flush=True)
time.sleep(300 if os.environ["GPUQ_ATTEMPT"] == "1" else 0)`
    const job = await lab.jobs.submit(code, { spec })
    await lab.jobs.untilPrinted(job, /attempt 1/)
    await provisioned.killNode(job, 0)
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 2 })
    expect(await lab.jobs.lines(job)).toEqual(['attempt 2'])
    expect(await provisioned.untilEnded(job)).toMatchObject({ round: 2, problem: null })
    await expectAllTrue(lab)
  })

  it('fail their job with the reason if they cannot be provisioned', async ({ openProvisionedLab }) => {
    const provisioned = await openProvisionedLab('echo "no machine is left"; exit 7')
    const { lab } = provisioned
    await provisioned.startLeader()
    const job = await lab.jobs.submit('print("never")', { spec })
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'failed',
      reason: 'not_provisioned',
      reasonDetail: 'The provisioning command failed. It ended with exit code 7.',
    })
    expect(await provisioned.untilEnded(job)).toMatchObject({ output: 'no machine is left\nall gone\n' })
  })

  it('are not lost if the leader dies while its command runs', async ({ openProvisionedLab }) => {
    // The first time it hangs; what is left of it is for the other command to end.
    const provisioned = await openProvisionedLab(`
      mkdir -p $NODES/$GPUQ_PROVISION_JOB; echo $$ > $NODES/$GPUQ_PROVISION_JOB/up
      [ -e $NODES/downs ] || { echo yes > $NODES/hangs; exec sleep 600; }
      . $NODES/start.sh`)
    const { lab } = provisioned
    const leader = await provisioned.startLeader()
    const job = await lab.jobs.submit('print("at last")', { spec })
    await until('the command hangs', async () => (await provisioned.read('hangs')) === 'yes\n')
    await leader.kill()
    leader.start()
    expect(await lab.jobs.untilFinal(job)).toMatchObject({ status: 'completed', attempt: 1 })
    await provisioned.untilEnded(job)
    expect(await provisioned.read('downs')).toBe('down\ndown\n')
  })
})
