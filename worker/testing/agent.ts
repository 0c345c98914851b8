import { createHash, randomUUID } from 'node:crypto'
import type { Actor } from '@/lib/access/actor'
import { makeToken } from '@/lib/access/testing/people'
import { makeJobPlace } from '@/lib/cluster/testing/rows'
import { type AgentLimitsInput, agentLimitsSchema } from '@/lib/contract/access/restriction'
import { configSchema } from '@/lib/contract/config/schema'
import { accept } from '@/lib/jobs/submission/accept'
import { inSession } from './cancel'
import type { Lab } from './lab'

type AgentLab = Pick<Lab, 'database' | 'inDatabase'>

/** Makes a token for an agent of a new user, who has no other limits. Returns who submits with it. */
export async function makeAgent(
  lab: AgentLab,
  given: Partial<AgentLimitsInput>,
): Promise<Actor & { tokenId: string }> {
  const { pool } = lab.database
  const { userId } = await makeJobPlace({}, pool)
  await pool.query('UPDATE users SET max_active_jobs = 1000, submissions_per_minute = 1000 WHERE id = $1', [
    userId,
  ])
  const limits = { ...agentLimitsSchema.parse(given), projects: null }
  const person = { id: userId, actor: inSession({ userId, handle: 'ada' }) }
  const { actor, tokenId } = await lab.inDatabase(() => makeToken(person))
  await pool.query(`UPDATE api_tokens SET name = 'night', limits = $2 WHERE id = $1`, [
    tokenId,
    JSON.stringify(limits),
  ])
  return {
    ...actor,
    tokenId,
    restriction: { projects: null, agent: { tokenId, limits } },
    limits: { submissionsPerMinute: 1000, maxActiveJobs: 1000 },
  }
}

/** Submits a job with a config as the web does. @throws the refusal */
export async function submitAs(
  lab: AgentLab,
  actor: Actor,
  code: string,
  keys: object = {},
): Promise<string> {
  const config = configSchema.parse({
    competition_id: 'c',
    project_id: 'project',
    expected_time: 10,
    ...keys,
  })
  const { jobId } = await lab.inDatabase(() =>
    accept(actor, {
      code: Buffer.from(code),
      runId: null,
      config: { ...config, gpusChosen: false },
      bodyHash: createHash('sha256').update(randomUUID()).digest(),
      idempotencyKey: null,
    }),
  )
  return jobId
}
