import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Person } from '../../access/testing/people'
import type { Lease } from '../../cluster/nodes/nodes'
import { finishTask } from '../../cluster/tasks/finish-task'
import { type ClaimedTask, unfinishedTasks } from '../../cluster/tasks/tasks'
import { placeManually } from '../../cluster/testing/placed'
import { copyRows, makeJob, makeNode } from '../../cluster/testing/rows'
import { testDatabase } from '../../database/testing/test-database'
import { cancel, jobOf, makePeople, readJob, readQueue } from '../testing/queue-client'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

let [ada, bob] = [] as unknown as [Person, Person]
beforeAll(async () => {
  ;[, ada, bob] = await makePeople()
})

let [first, second] = [] as unknown as [Lease, Lease]
beforeEach(async () => {
  await db.pool.query('TRUNCATE jobs, nodes CASCADE')
  ;[first, second] = [await makeNode({ name: 'one', gpus: 4 }), await makeNode({ name: 'two', gpus: 4 })]
})

const finished = { reason: 'finished', detail: null, exitCode: 0 } as const
const broken = { reason: 'internal_error', detail: null, exitCode: null } as const

async function taskOn(lease: Lease): Promise<ClaimedTask> {
  const [task] = await unfinishedTasks(lease)
  if (!task) throw new Error('nothing runs there')
  return task
}

const onTwo = { node: 'two', gpus: [1, 3], instances: [{ rank: 0, node: 'two', gpus: [1, 3] }] }
const nowhere = { node: null, gpus: [], instances: [] }

describe('the placement of a queued job', () => {
  it('is that of the last attempt while the job runs and after its end; a waiting job has none', async () => {
    const id = await makeJob({ userId: ada.id })
    expect(await jobOf(id, ada)).toMatchObject({ status: 'queued', ...nowhere })
    await placeManually(first.nodeId, id, { indices: [0] })
    await finishTask(first, await taskOn(first), broken)
    expect(await jobOf(id, ada)).toMatchObject({ status: 'queued', ...nowhere })
    expect((await readQueue(ada)).queued).toMatchObject([{ job_id: id, node: null, gpus: [] }])
    await placeManually(second.nodeId, id, { indices: [3, 1] })
    expect(await jobOf(id, ada)).toMatchObject({ status: 'running', ...onTwo })
    expect((await readQueue(ada)).running).toMatchObject([{ job_id: id, node: 'two', gpus: [1, 3] }])
    await finishTask(second, await taskOn(second), finished)
    expect(await jobOf(id, ada)).toMatchObject({ status: 'completed', ...onTwo })
    expect((await readJob(id, bob)).status).toBe(404)
  })

  it('has every instance', async () => {
    const id = await makeJob({ userId: ada.id, spec: { instance_count: 2, gpu_count: 1 } })
    const task = await placeManually(first.nodeId, id, { indices: [2] })
    const [other] = await copyRows('tasks', task, { rank: 1, node_id: second.nodeId })
    await db.pool.query(
      'INSERT INTO allocations (task_id, gpu_id, milli) SELECT $1, id, 1000 FROM gpus WHERE node_id = $2 AND index = 0',
      [other, second.nodeId],
    )
    expect(await jobOf(id, ada)).toMatchObject({
      node: 'one',
      gpus: [2],
      instances: [
        { rank: 0, node: 'one', gpus: [2] },
        { rank: 1, node: 'two', gpus: [0] },
      ],
    })
  })

  it('is empty if the job never ran', async () => {
    const id = await makeJob({ userId: ada.id })
    await cancel(id, ada)
    expect(await jobOf(id, ada)).toMatchObject({ status: 'cancelled', ...nowhere })
  })
})
