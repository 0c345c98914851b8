import { expect, it } from 'vitest'
import { testDatabase } from '../../database/testing/test-database'
import { placeManually } from '../testing/placed'
import { makeJob, makeNode, makeUser } from '../testing/rows'
import { builtinForecaster } from './builtin-forecaster'

const db = testDatabase()

it('says what a start rests on, and by how much a job that outlives its estimate moved it', async () => {
  const userId = await makeUser()
  const { nodeId } = await makeNode({ gpus: 1 })
  const running = await makeJob({ userId })
  await placeManually(nodeId, running)
  const waiting = await makeJob({ userId })
  const basisOf = async (ranFor: string) => {
    await db.pool.query(
      'UPDATE jobs SET expected_time_s = 1000, time_limit_s = 9000, started_at = now() - $2::interval WHERE id = $1',
      [running, ranFor],
    )
    return (await builtinForecaster.forecastFirst()).jobs.get(waiting)?.basis
  }
  expect(await basisOf('10 s')).toEqual({ basis: 'estimate', jobs: 0, delaySeconds: 0 })
  // After 1,100 of 1,000 seconds it is expected to run for 1,250.
  expect(await basisOf('1100 s')).toEqual({ basis: 'estimate', jobs: 0, delaySeconds: 250 })
})

it.each([
  { what: 'is held', set: `held = true, reason = 'held'` },
  { what: 'waits for another job', set: `held = true, reason = 'dependency'` },
  { what: 'fits no node', set: `reason = 'never_fits'` },
  {
    what: 'asks for more than a quota',
    set: `reason = 'quota', reason_detail = 'This job cannot start: it asks for 8 GPUs, and the quota is 4.'`,
  },
])('a job that $what has no place in the queue, and the job behind it has its place', async ({ set }) => {
  await db.pool.query('TRUNCATE jobs, nodes CASCADE')
  const [first, unable, last] = [await makeJob(), await makeJob(), await makeJob()]
  await db.pool.query(`UPDATE jobs SET reason = 'no_node'`)
  await db.pool.query(`UPDATE jobs SET ${set} WHERE id = $1`, [unable])
  const { jobs } = await builtinForecaster.forecastFirst()
  expect([...jobs].map(([id, { position }]) => [id, position])).toEqual([
    [first, 1],
    [last, 2],
  ])
  expect(await builtinForecaster.listOthers([])).toEqual([first, last])
})

it('a job that fits a new node has a place, although the last pass found that it fits none', async () => {
  await db.pool.query('TRUNCATE jobs, nodes CASCADE')
  const id = await makeJob()
  await db.pool.query(`UPDATE jobs SET reason = 'never_fits'`)
  await makeNode({ gpus: 1 })
  expect((await builtinForecaster.forecastFirst()).jobs.get(id)).toMatchObject({ position: 1 })
})
