import { describe, expect } from 'vitest'
import { counting, expectCounted } from '../testing/adoption'
import { expectAllTrue } from '../testing/truth'
import { fourNodes } from './testing/slurm-cluster'
import { type SlurmLab, slurmTests } from './testing/slurm-lab'
import { restart, start, stateOf, suspend } from './testing/slurm-suspension'

const { it } = slurmTests({ nodes: fourNodes.slice(0, 1) })

/** Moves the start of a job an hour into the past, and the beginning of its pause almost as far. */
async function pauseForAnHour(lab: SlurmLab, job: string): Promise<void> {
  const { rowCount } = await lab.lab.database.pool.query(
    `UPDATE tasks SET started_at = started_at - interval '1 hour', paused_at = paused_at - interval '1 hour'
      WHERE job_id = $1 AND paused_at IS NOT NULL`,
    [job],
  )
  expect(rowCount).toBe(1)
}

// pause.db.test.ts has the other changes of a suspended job, without containers.
describe('a job that is suspended in Slurm', { concurrent: false }, () => {
  it('is paused until it is resumed, also while its worker restarts, and its time limit does not count', async ({
    openSlurmLab,
  }) => {
    const lab = await openSlurmLab()
    const { worker, job } = await start(lab, counting(200, 20))
    await lab.jobs.untilPrinted(job, /line 10\n/)
    const slurmId = await suspend(lab, job)
    await worker.kill()
    await pauseForAnHour(lab, job)
    await restart(lab, worker)
    expect(await stateOf(lab)).toEqual(['paused'])
    expect(await lab.jobs.row(job)).toMatchObject({ status: 'running', reason: 'slurm_suspended' })
    await lab.slurm.run('scontrol', ['resume', String(slurmId)])
    expect(await lab.jobs.untilFinal(job)).toMatchObject({
      status: 'completed',
      reason: 'finished',
      attempt: 1,
    })
    await expectCounted(lab.lab, job, 200)
    const row = await lab.untilRow(job, 'its row ends', ({ ended }) => ended)
    expect(row).toMatchObject({ slurmId, state: 'COMPLETED' })
    const { rows } = await lab.lab.database.pool.query(
      'SELECT paused_at, paused_seconds >= 3600 AS counted FROM tasks WHERE job_id = $1',
      [job],
    )
    expect(rows).toEqual([{ paused_at: null, counted: true }])
    await expectAllTrue(lab.lab)
  })
})
