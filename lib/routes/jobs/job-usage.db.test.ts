import { expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { jobRoutes } from './jobs'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

it('is read by those who see the job, with the limits of each task', async () => {
  const [ada, bob] = [await makePerson(), await makePerson()]
  const job = await makeJob({ userId: ada.id })
  const read = (cookie: string) =>
    call(jobRoutes.usage, `/api/jobs/${job}/usage`, { cookie, params: { id: job } })
  expect(await read(ada.cookie)).toMatchObject({ status: 200, body: { tasks: [] } })
  const lease = await makeNode({ name: 'box' })
  const task = await placeManually(lease.nodeId, job, { cpuMilli: 1500, memoryMib: 2048 })
  await db.pool.query('UPDATE tasks SET started_at = now() WHERE id = $1', [task])
  await db.pool.query(
    `INSERT INTO task_usage (task_id, interval_s, cpu_cores, memory_mib) VALUES ($1, 5, '{0.5,NULL}', '{100,NULL}')`,
    [task],
  )
  expect(await read(ada.cookie)).toMatchObject({
    status: 200,
    body: {
      attempt: 1,
      tasks: [
        {
          rank: 0,
          node: 'box',
          interval_s: 5,
          cpu_cores: [0.5, null],
          memory_mib: [100, null],
          cpu_milli: 1500,
          memory_limit_mib: 2048,
        },
      ],
    },
  })
  expect(await read(bob.cookie)).toMatchObject({ status: 404 })
})
