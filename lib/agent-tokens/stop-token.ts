import type { z } from 'zod'
import type { Actor } from '../access/actor'
import { revokeIn } from '../access/tokens/tokens'
import { GpuqError } from '../contract/errors'
import { database } from '../database/client'
import { wakeLeader } from '../database/notify'
import { transaction } from '../database/transaction'
import { cancelOpen } from '../groups/cancel-group'
import { cancelLiveMembers } from '../groups/cancel-members'
import { cancelLive } from '../jobs/lifecycle/cancel'
import type { stoppedTokenSchema } from './contract'

type Stopped = z.output<typeof stoppedTokenSchema>

/** Revokes a token, and cancels what it submitted: its own user may, and admins. A leader continues if the caller dies. */
export async function stopToken(actor: Actor, tokenId: string): Promise<Stopped> {
  await transaction(async (tx) => {
    await revokeIn(tx, actor, tokenId)
    await tx.query('UPDATE api_tokens SET stopped_at = coalesce(stopped_at, now()) WHERE id = $1', [tokenId])
  })
  const stopped = await cancelStopped(tokenId)
  wakeLeader()
  return stopped
}

/** Continues what a web server began that died, and cancels what a request submitted that had been let in before the stop. */
export async function continueStopping(): Promise<boolean> {
  await cancelStopped(null)
  return false
}

/** Cancels the live jobs and groups of stopped tokens. @param tokenId null: of all */
async function cancelStopped(tokenId: string | null): Promise<Stopped> {
  const { pool } = database()
  const { rows: groups } = await pool.query<{ id: string }>({
    name: 'groups-of-stopped-tokens',
    text: `SELECT g.id FROM job_groups g JOIN api_tokens t ON t.id = g.token_id
            WHERE g.ended_at IS NULL AND g.cancelled_at IS NULL AND t.stopped_at IS NOT NULL AND ($1::uuid IS NULL OR t.id = $1) ORDER BY g.id`,
    values: [tokenId],
  })
  const stopped = { jobs: 0, groups: 0 }
  for (const { id } of groups) {
    if (
      await transaction((tx) =>
        cancelOpen(tx, id, 'token_stopped', 'The token with which it was submitted was stopped.'),
      )
    )
      stopped.groups += 1
    await cancelLiveMembers(id, 'token_stopped')
  }
  const { rows: jobs } = await pool.query<{ id: string }>({
    name: 'jobs-of-stopped-tokens',
    text: `SELECT j.id FROM jobs j JOIN api_tokens t ON t.id = j.token_id
            WHERE j.status IN ('pending', 'scheduled', 'running') AND j.cancel_requested_at IS NULL AND j.group_id IS NULL
              AND t.stopped_at IS NOT NULL AND ($1::uuid IS NULL OR t.id = $1) ORDER BY j.id`,
    values: [tokenId],
  })
  for (const { id } of jobs) {
    const before = await transaction((tx) => cancelLive(tx, id, 'token_stopped')).catch((error: unknown) => {
      if (error instanceof GpuqError && error.code === 'conflict') return 'cancelled'
      throw error
    })
    if (before === null) stopped.jobs += 1
  }
  return stopped
}
