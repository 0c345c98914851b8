import { describe, expect } from 'vitest'
import { pausable, pausingKeys, submitGroup } from '../testing/groups'
import { expectAllTrue } from '../testing/truth'
import { fourNodes } from './testing/slurm-cluster'
import { slurmTests } from './testing/slurm-lab'

const { it } = slurmTests({ nodes: fourNodes.slice(0, 1) })
const small = { gpu_count: 1, cpu: 0.2, memory_gb: 0.25 }

// worker/groups.docker.test.ts and worker/retry-on.docker.test.ts have the same on the builtin engine.
describe('under the engine slurm', { concurrent: false }, () => {
  it('a member that its group pauses leaves Slurm, and is submitted again when it continues', async ({
    openSlurmLab,
  }) => {
    const opened = await openSlurmLab()
    const { lab, jobs } = opened
    await opened.startWorkers('n0')
    const group = await submitGroup(lab, pausable(), { ...small, ...pausingKeys })
    await jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
    const members = await group.members()
    expect(members.map(({ status }) => status)).toEqual(['completed', 'cancelled', 'completed', 'cancelled'])
    const [, paused = '', continued = ''] = members.map(({ job_id }) => job_id ?? '')
    expect(await jobs.row(paused)).toMatchObject({ reason: 'stopped_early', attempt: 1 })
    expect(await opened.rows(paused)).toHaveLength(1)
    expect(await jobs.lines(continued)).toEqual(['from 2', '{"step": 3, "loss": 2}'])
    expect((await opened.rows(continued)).map(({ attempt }) => attempt)).toEqual([1, 2])
    await expectAllTrue(lab)
  })

  it('a program that ends as retry_on names is submitted again', async ({ openSlurmLab }) => {
    const opened = await openSlurmLab()
    const { lab, jobs } = opened
    await opened.startWorkers('n0')
    const start = 'import os\nprint("attempt", os.environ["GPUQ_ATTEMPT"], flush=True)'
    const eat = `${start}\nheld = []\nwhile os.environ["GPUQ_ATTEMPT"] == "1": held.append(bytearray(1 << 20))`
    const options = { spec: { ...small, retry_on: ['75', 'out_of_memory'] }, maxRetries: 1 }
    const busy = await jobs.submit(`${start}\nraise SystemExit(75)`, options)
    const large = await jobs.submit(eat, options)
    expect(await jobs.untilFinal(busy)).toMatchObject({ status: 'failed', exitCode: 75, attempt: 2 })
    expect(await jobs.untilFinal(large)).toMatchObject({ status: 'completed', attempt: 2 })
    for (const job of [busy, large]) expect(await opened.rows(job)).toHaveLength(2)
    await expectAllTrue(lab)
  })

  it('a group whose budget is used up: its running members are stopped', async ({ openSlurmLab }) => {
    const opened = await openSlurmLab()
    const { lab, jobs } = opened
    await opened.startWorkers('n0')
    const keys = { ...small, matrix: { lr: [1, 2, 3] }, parallel: 2, budget_gpu_hours: 1 }
    const group = await submitGroup(lab, 'import time\nwhile True: time.sleep(1)', keys)
    await jobs.until('two members run', async () => (await group.read()).counts.running === 2)
    await lab.database.pool.query(`UPDATE allocations SET created_at = created_at - interval '1 hour'`)
    await jobs.until('the group has ended', async () => (await group.read()).ended_at !== null)
    const members = await group.members()
    expect(members.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    for (const { job_id } of members.slice(0, 2))
      expect(await jobs.row(job_id ?? '')).toMatchObject({ reason: 'budget_used_up' })
    await expectAllTrue(lab)
  })
})
