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

it('a held job has no place in the queue', async () => {
  const [held, other] = [await makeJob(), await makeJob()]
  await db.pool.query('UPDATE jobs SET held = true WHERE id = $1', [held])
  const ids = [
    ...(await builtinForecaster.forecastFirst()).jobs.keys(),
    ...(await builtinForecaster.listOthers([])),
  ]
  expect(ids).toContain(other)
  expect(ids).not.toContain(held)
})
