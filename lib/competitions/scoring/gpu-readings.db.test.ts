import { expect, it, vi } from 'vitest'
import { call } from '../../access/testing/call'
import { makePerson, type Person } from '../../access/testing/people'
import { placeManually } from '../../cluster/testing/placed'
import { makeJob, makeNode } from '../../cluster/testing/rows'
import { clusterSchema } from '../../contract/cluster/cluster'
import { clusterHistorySchema } from '../../contract/cluster/cluster-history'
import { testDatabase } from '../../database/testing/test-database'
import { clusterRoutes } from '../../routes/cluster/cluster'
import { makeCompetition } from '../testing/competition'
import { holdEntry } from '../testing/held-entries'

vi.hoisted(() => vi.stubEnv('GPUQ_SECRET', 'a secret of the tests, long enough'))
const db = testDatabase()

async function readCluster(person: Person, query = '') {
  const { body } = await call(clusterRoutes.get, `/api/cluster${query}`, person)
  return clusterSchema.parse(body)
}

/** The last reading of each GPU, and how many readings its history has. */
async function readings(person: Person) {
  const { nodes } = await readCluster(person)
  const { body } = await call(clusterRoutes.history, '/api/cluster/history', person)
  const { gpus: series } = clusterHistorySchema.parse(body)
  return nodes
    .flatMap(({ gpus }) => gpus)
    .map(({ gpu_id, use }) => [
      use?.memory_used_mib ?? null,
      series.find((one) => one.gpu_id === gpu_id)?.memory_used_mib ?? null,
    ])
}

it('what the GPU of an entry does is shown to hosts and admins only, during its run and in the history, alone and in means', async () => {
  const [host, ada, admin] = [await makePerson(), await makePerson(), await makePerson('admin')]
  const competition = await makeCompetition({ hosts: [host] })
  const teamId = await competition.join(ada)
  const id = await holdEntry(competition, { userId: ada.id, teamId })
  const { nodeId } = await makeNode({ name: 'node', gpus: 2 })
  const jobId = await makeJob({ userId: competition.serviceUserId, project: competition.slug })
  await placeManually(nodeId, jobId, { indices: [0] })
  await placeManually(nodeId, await makeJob({ userId: host.id }), { indices: [1] })
  await db.pool.query("UPDATE entries SET state = 'running', job_id = $2, code = '' WHERE id = $1", [
    id,
    jobId,
  ])
  await db.pool.query(`UPDATE allocations SET created_at = now() - interval '10 minutes'`)
  await db.pool.query(`UPDATE gpus SET sampled_at = now(), load = 1 - index, memory_used_mib = 1000 + index`)
  await db.pool.query(
    `INSERT INTO gpu_samples (gpu_id, at, load, memory_used_mib)
     SELECT id, now() - age, 1 - index, 1000 + index FROM gpus, unnest(ARRAY[interval '5 minutes', '20 minutes']) age`,
  )
  const all = [
    [1000, [1000, 1000]],
    [1001, [1001, 1001]],
  ]
  for (const person of [host, admin]) expect(await readings(person)).toEqual(all)
  expect(await readings(ada)).toEqual([[null, [1000]], all[1]])
  for (const query of ['', '?name=none'])
    expect((await readCluster(ada, query)).cluster_status.load_percent, query).toBe(0)

  // Its last reading is stored after its end.
  await db.pool.query(
    'UPDATE allocations SET released_at = now() FROM tasks t WHERE t.id = task_id AND job_id = $1',
    [jobId],
  )
  await db.pool.query('UPDATE gpus SET sampled_at = now()')
  expect(await readings(ada)).toEqual([[null, [1000]], all[1]])
  await db.pool.query("UPDATE gpus SET sampled_at = now() + interval '1 minute'")
  expect(await readings(ada)).toEqual([[1000, [1000]], all[1]])
})
