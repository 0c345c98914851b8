import { beforeAll, describe, expect, it } from 'vitest'
import { makePerson, type Person } from '@/lib/access/testing/people'
import { makeJob } from '@/lib/cluster/testing/rows'
import { compactLedger, recountLedger } from '@/lib/database/ledger'
import { testDatabase } from '@/lib/database/testing/test-database'
import { activeJobsLedger, countActiveJobs } from './active-jobs'

const db = testDatabase()
let person: Person
beforeAll(async () => {
  person = await makePerson()
})

/** The same numbers, counted row by row. */
async function countRows() {
  const { rows } = await db.pool.query<{ status: string; jobs: number }>(
    `SELECT status, count(*)::int AS jobs FROM active_jobs GROUP BY 1`,
  )
  return Object.fromEntries(rows.map(({ status, jobs }) => [status, jobs]))
}

const none = { pending: 0, scheduled: 0, running: 0 }
const set = (ids: readonly string[], values: string) =>
  db.pool.query(`UPDATE jobs SET ${values} WHERE id = ANY ($1::uuid[])`, [ids])

describe('the number of active jobs', () => {
  it('follows each change of status and reason, and each deletion', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => makeJob({ userId: person.id })))
    expect(await countActiveJobs()).toEqual({ byStatus: { ...none, pending: 6 }, byReason: { none: 6 } })
    await set(ids.slice(0, 4), `reason = 'quota'`)
    await set(ids.slice(0, 1), `status = 'scheduled', reason = NULL, attempt = 1`)
    await set(ids.slice(5), `expected_time_s = 7`)
    expect(await countActiveJobs()).toEqual({
      byStatus: { ...none, pending: 5, scheduled: 1 },
      byReason: { quota: 3, none: 2 },
    })
    await set(ids.slice(0, 1), `status = 'pending', reason = 'backing_off'`)
    await set(ids.slice(1, 3), `status = 'cancelled', reason = 'cancelled_by_user', ended_at = now()`)
    await db.pool.query('DELETE FROM jobs WHERE id = $1', [ids[3]])
    const expected = { byStatus: { ...none, pending: 3 }, byReason: { none: 2, backing_off: 1 } }
    expect(await countActiveJobs()).toEqual(expected)
    await compactLedger(activeJobsLedger)
    expect(await countActiveJobs()).toEqual(expected)
    await db.pool.query('DELETE FROM active_job_changes')
    await recountLedger(activeJobsLedger)
    expect(await countActiveJobs()).toEqual(expected)
  })

  it('is right after concurrent changes, also while it is compacted and counted again', async () => {
    let changing = true
    const compacting = (async () => {
      while (changing) {
        await compactLedger(activeJobsLedger)
        await recountLedger(activeJobsLedger).catch((error: unknown) => {
          expect(error).toMatchObject({ code: '40001' })
        })
      }
    })()
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const id = await makeJob({ userId: person.id })
        await set([id], `reason = 'quota'`)
        if (index % 2 === 0)
          await set([id], `status = 'cancelled', reason = 'cancelled_by_user', ended_at = now()`)
      }),
    )
    changing = false
    await compacting
    expect((await countActiveJobs()).byStatus).toEqual({ ...none, ...(await countRows()) })
  })
})
