import { expect, it } from 'vitest'
import { unfinishedTasks } from '@/lib/cluster/tasks/tasks'
import { placeManually } from '@/lib/cluster/testing/placed'
import { makeJob, makeNode, makeUser } from '@/lib/cluster/testing/rows'
import { makeCompetition } from '@/lib/competitions/testing/competition'
import { holdEntry } from '@/lib/competitions/testing/held-entries'
import { testDatabase } from '@/lib/database/testing/test-database'
import { findKeptPaths } from './kept-paths'

const db = testDatabase()

it('only the declared outputs of an entry are kept, and all files of other jobs', async () => {
  const competition = await makeCompetition()
  const userId = await makeUser()
  const teamId = await competition.join({ id: userId })
  const entry = await holdEntry(competition, { userId, teamId, kind: 'rehearsal' })
  const lease = await makeNode({ gpus: 2 })
  const keptOf = async (jobId: string, index: number, env: Record<string, string>) => {
    const taskId = await placeManually(lease.nodeId, jobId, { indices: [index] })
    const task = (await unfinishedTasks(lease)).find(({ id }) => id === taskId)
    if (!task) throw new Error('The task does not exist.')
    return findKeptPaths({ jobId, spec: { ...task.spec, env } })
  }
  const jobId = await makeJob({ userId: competition.serviceUserId, project: competition.slug })
  await db.pool.query("UPDATE entries SET state = 'running', job_id = $2, code = '' WHERE id = $1", [
    entry,
    jobId,
  ])
  expect(await keptOf(jobId, 0, { GPUQ_SEED: 'x' })).toEqual(new Set(['pred.csv']))
  expect(await keptOf(await makeJob({ userId }), 1, {})).toBeNull()
})
