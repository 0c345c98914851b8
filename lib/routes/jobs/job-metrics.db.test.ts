import { describe, expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { copyRows, makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { metricsColumn } from '../../jobs/read/list'
import { jobRoutes } from './jobs'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

describe('the metrics of a job', () => {
  it('are those of its task while it runs, and later the final ones', async () => {
    const ada = await makePerson()
    const job = await makeJob({ userId: ada.id })
    const read = async () => {
      const { body } = await call(jobRoutes.get, `/api/status/${job}`, {
        cookie: ada.cookie,
        params: { id: job },
      })
      const list = await call(jobRoutes.list, '/api/jobs', { cookie: ada.cookie })
      return [(body as { metrics: unknown }).metrics, (list.body as { metrics: unknown }[])[0]?.metrics]
    }
    expect(await read()).toEqual([{}, {}])
    const lease = await makeNode()
    const task = await placeManually(lease.nodeId, job)
    await db.pool.query(`UPDATE tasks SET metrics = '{"loss":0.5}' WHERE id = $1`, [task])
    expect(await read()).toEqual([{ loss: 0.5 }, { loss: 0.5 }])
    await db.pool.query(
      `UPDATE jobs SET status = 'completed', reason = 'finished', exit_code = 0, ended_at = now(), result_stored = true,
              final_metrics = '{"loss":0.25}' WHERE id = $1`,
      [job],
    )
    expect(await read()).toEqual([{ loss: 0.25 }, { loss: 0.25 }])
  })

  it('the metrics of a named run: a later attempt continues the ones before it, and keeps what only these printed', async () => {
    for (const [spec, expected] of [
      [{ run_name: 'base' }, { loss: 0.5, epoch: 9, accuracy: 0.75 }],
      [{}, { epoch: 9, accuracy: 0.75 }],
    ] as const) {
      const job = await makeJob({ spec })
      const { nodeId } = await makeNode()
      const task = await placeManually(nodeId, job)
      await db.pool.query(
        `UPDATE tasks SET attempt = 2, metrics = '{"epoch":9,"accuracy":0.75}' WHERE id = $1`,
        [task],
      )
      const earlier = { attempt: 1, status: 'failed', reason: 'node_lost', ended_at: new Date() }
      await copyRows('tasks', task, { ...earlier, metrics: { loss: 0.5, epoch: 8 } })
      await db.pool.query('UPDATE jobs SET attempt = 2 WHERE id = $1', [job])
      const { rows } = await db.pool.query(`SELECT ${metricsColumn} AS metrics FROM jobs j WHERE id = $1`, [
        job,
      ])
      expect(rows).toEqual([{ metrics: expected }])
    }
  })

  it('are found with an index', async () => {
    const ada = await makePerson()
    const like = await makeJob({ userId: ada.id })
    await copyRows('jobs', like, {}, { count: 5_000 })
    await db.pool.query(`UPDATE jobs SET final_metrics = '{"loss":0.5}' WHERE id = $1`, [like])
    await db.pool.query('ANALYZE jobs')
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT id FROM jobs j WHERE j.user_id = '${ada.id}' AND j.final_metrics <> '{}'
         AND (j.final_metrics->>'loss')::float8 < 1 ORDER BY j.created_at DESC, j.id DESC LIMIT 51`,
    )
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('jobs_with_metrics')
  })
})
