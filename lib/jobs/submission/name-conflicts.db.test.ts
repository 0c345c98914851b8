import { expect, it } from 'vitest'
import { makeJob, makeUser } from '../../cluster/testing/rows'
import type { GpuqError } from '../../contract/errors'
import { testDatabase } from '../../database/testing/test-database'
import { requireUnusedName } from './name-conflicts'

const db = testDatabase()

it('a token of a class is told the id of a job with the same name only if it is in the class', async () => {
  const userId = await makeUser()
  const jobId = await makeJob({ userId, project: 'mine' })
  await makeJob({ userId, project: 'course' })
  await db.pool.query("UPDATE jobs SET name = 'baseline' WHERE id = $1", [jobId])
  const { rows } = await db.pool.query<{ id: string; slug: string }>(
    'SELECT id, slug FROM projects WHERE owner_id = $1 ORDER BY slug DESC',
    [userId],
  )
  const refusals = [null, ...rows].map((project) =>
    requireUnusedName(
      db.pool,
      { userId, restriction: project && { projects: [project], agent: null } },
      'baseline',
    ).catch((error: GpuqError) => error.toProblem()),
  )
  const [anywhere, same, elsewhere] = await Promise.all(refusals)
  expect(anywhere).toMatchObject({ code: 'conflict', jobs: [{ job_id: jobId }] })
  expect(same).toEqual(anywhere)
  const detail =
    'The name "baseline" is used by another job of this user, which this token does not see. Use another name.'
  expect(elsewhere).toMatchObject({ code: 'conflict', detail })
  expect(JSON.stringify(elsewhere)).not.toContain(jobId)
})
