import { beforeAll, describe, expect, it } from 'vitest'
import { makePerson } from '../../access/testing/people'
import { readLog } from '../../agents/read-log'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { findVisibleJob } from '../../jobs/read/job-visibility'
import { downloadMetrics } from '../../metrics/read-metrics'
import { OutputReader, ownReader } from './output-reader'
import { cachingOfOutput, startReading } from './reading-slots'

const db = testDatabase()
let job = ''
beforeAll(async () => {
  job = await jobWithOutput(256 * 1024 + 1)
})

async function jobWithOutput(bytes: number, userId?: string): Promise<string> {
  const id = await makeJob(userId === undefined ? {} : { userId })
  const task = await placeManually((await makeNode()).nodeId, id)
  await db.pool.query('UPDATE tasks SET output_bytes = $2 WHERE id = $1', [task, bytes])
  return id
}

const takeSlots = (owner: string) =>
  Promise.all(Array.from({ length: 4 }, () => startReading(ownReader(owner), job)))

describe('slots for long output', () => {
  it('are refused with 429 if too many of one user wait, and others have theirs', async () => {
    const leaving = new AbortController()
    const reader = new OutputReader('greedy', leaving.signal)
    const waiting = Array.from({ length: 100 }, () => startReading(reader, job))
    const refused = await Promise.race(waiting.map((one) => one.then(() => new Promise(() => {})))).catch(
      (error: unknown) => error,
    )
    expect(refused).toMatchObject({
      code: 'rate_limited',
      message:
        'Too many long outputs are being read at the moment: at most 4 for one user, or for the links of one user. End other downloads, or try again in 5 seconds.',
    })
    ;(await startReading(ownReader('modest'), job))?.()
    leaving.abort()
    const ends = await Promise.allSettled(waiting)
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
    // All four are free again.
    for (const release of await takeSlots('greedy')) release?.()
  })

  it('are not needed for headers, and a reader that has left gets none', async () => {
    const left = new Error('left')
    const taken = await takeSlots('head')
    const signal = new AbortController().signal
    expect(await startReading(new OutputReader('head', signal, true), job)).toBeNull()
    await expect(startReading(new OutputReader('gone', AbortSignal.abort(left)), job)).rejects.toBe(left)
    for (const release of taken) release?.()
  })

  it('let only a few answers be compressed at the same time', async () => {
    const releases = []
    for (let reader = 0; reader < 3; reader++)
      releases.push(await startReading(ownReader(`reader ${reader}`), job))
    expect(cachingOfOutput()['cache-control']).toBe('no-store, no-transform')
    for (const release of releases) release?.()
    expect(cachingOfOutput()['cache-control']).toBe('no-store')
  })

  it('are not needed for output up to 256 KiB, whoever reads it', async () => {
    const ada = await makePerson()
    const short = await jobWithOutput(256 * 1024, ada.id)
    const taken = await takeSlots(ada.id)
    expect(await startReading(ownReader(ada.id), short)).toBeNull()
    const job = await findVisibleJob(ada.actor, short)
    const log = await readLog(ada.actor, short, { offset: 0, limit: 100, attempt: null, rank: 0 })
    expect(log.text).toBe('')
    const metrics = await downloadMetrics(ownReader(ada.id), job, { names: ['loss'] }, { name: 'a.csv' })
    // Compressing it is little work.
    expect(metrics.headers.get('cache-control')).toBe('no-store')
    expect(await metrics.text()).toMatch(/^line,time,loss/)
    for (const release of taken) release?.()
  })
})
