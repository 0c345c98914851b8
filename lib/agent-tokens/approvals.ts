import { z } from 'zod'
import { type Actor, isAdmin, requireAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { conflict, notFound } from '../contract/errors'
import { database } from '../database/client'
import { datesToText } from '../database/dates'
import { wakeLeader } from '../database/notify'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { env } from '../env'
import { cancelOpen } from '../groups/cancel-group'
import { readWait } from '../jobs/dependencies/open-dependencies'
import { finishWaiting } from '../jobs/state/finish'
import { releaseApproved } from '../jobs/state/hold'
import type { Approval } from './contract'

/** What waits for an approval, with the hours for that as $1. What has ended meanwhile does not. */
const requests = `
  SELECT a.id, a.job_id, a.group_id, a.gpu_hours, a.created_at, a.created_at + make_interval(hours => $1) AS expires_at,
         o.user_id, o.project_id, o.token_id, o.name
    FROM approval_requests a CROSS JOIN LATERAL (
      SELECT j.user_id, j.project_id, j.token_id, j.name FROM jobs j WHERE j.id = a.job_id AND j.status = 'pending'
      UNION ALL
      SELECT g.user_id, g.project_id, g.token_id, g.name FROM job_groups g
       WHERE g.id = a.group_id AND g.ended_at IS NULL AND g.cancelled_at IS NULL) o`

/** Lists what of the actor's agents waits for an approval, or for an admin of all, the oldest first. */
export async function listApprovals(actor: Actor, { all }: { all: boolean }): Promise<Approval[]> {
  if (all) requireAdmin(actor)
  const { rows } = await database().pool.query<
    Omit<Approval, 'created_at' | 'expires_at'> & { created_at: Date; expires_at: Date }
  >(
    `SELECT r.id, CASE WHEN r.job_id IS NULL THEN 'group' ELSE 'job' END AS kind, r.name, u.handle AS user_id, p.slug AS project_id,
            CASE WHEN k.id IS NOT NULL THEN jsonb_build_object('token_id', k.id, 'name', k.name) END AS submitted_with,
            r.gpu_hours, r.created_at, r.expires_at
       FROM (${requests}) r JOIN users u ON u.id = r.user_id JOIN projects p ON p.id = r.project_id LEFT JOIN api_tokens k ON k.id = r.token_id
      WHERE r.expires_at > now() AND ($2::uuid IS NULL OR r.user_id = $2) ORDER BY r.created_at, r.id LIMIT 1000`,
    [env().GPUQ_APPROVAL_HOURS, all ? null : actor.userId],
  )
  return rows.map(datesToText)
}

interface OpenRequest {
  id: string
  job_id: string | null
  group_id: string | null
}

/** Lets a job or a group of an agent start. @throws 404 for that of another user; 409 if it does not wait for an approval any more */
export function approve(actor: Actor, id: string): Promise<void> {
  return decideOn(actor, id, 'agent_job_approved', async (tx, { job_id, group_id }) => {
    if (job_id !== null) return releaseApproved(tx, job_id, await readWait(tx, job_id))
    const { rowCount } = await tx.query(
      'UPDATE job_groups SET problem = NULL, retry_at = now() WHERE id = $1 AND ended_at IS NULL AND cancelled_at IS NULL',
      [group_id],
    )
    return rowCount === 1
  })
}

/** Cancels a job or a group of an agent. @throws as {@link approve} */
export function refuse(actor: Actor, id: string): Promise<void> {
  return decideOn(actor, id, 'agent_job_cancelled', (tx, request) =>
    end(tx, request, `${actor.handle} refused to approve it.`),
  )
}

async function decideOn(
  actor: Actor,
  id: string,
  action: 'agent_job_approved' | 'agent_job_cancelled',
  act: (tx: Transaction, request: OpenRequest) => Promise<boolean>,
): Promise<void> {
  await transaction(async (tx) => {
    const request = z.uuid().safeParse(id).success
      ? await findRow<OpenRequest & { expired: boolean }>(
          tx,
          `SELECT a.id, a.job_id, a.group_id, a.created_at + make_interval(hours => $1) <= now() AS expired
             FROM approval_requests a LEFT JOIN jobs j ON j.id = a.job_id LEFT JOIN job_groups g ON g.id = a.group_id
            WHERE a.id = $2 AND ($3 OR coalesce(j.user_id, g.user_id) = $4) FOR UPDATE OF a`,
          [env().GPUQ_APPROVAL_HOURS, id, isAdmin(actor), actor.userId],
        )
      : null
    if (!request)
      throw notFound(
        'You have no job or group with this id that waits for an approval. GET /api/approvals lists them.',
      )
    if (request.expired) throw conflict(`It is refused: ${notInTime()}`)
    await tx.query('DELETE FROM approval_requests WHERE id = $1', [id])
    if (!(await act(tx, request)))
      throw conflict('It has ended, so it does not wait for an approval any more.')
    await recordAudit(tx, { actorId: actor.userId, action, target: id, detail: {} })
  })
  wakeLeader()
}

const notInTime = () => {
  const { GPUQ_APPROVAL_HOURS: hours } = env()
  return `nobody approved it within ${hours} ${hours === 1 ? 'hour' : 'hours'}.`
}

function end(tx: Transaction, { job_id, group_id }: OpenRequest, detail: string): Promise<boolean> {
  return job_id === null
    ? cancelOpen(tx, group_id ?? '', 'approval_refused', detail)
    : finishWaiting(tx, job_id, { reason: 'approval_refused', detail, exitCode: null })
}

/** Refuses what nobody approved in time, and forgets what ended otherwise. */
export async function endApprovals(): Promise<void> {
  const { rows } = await database().pool.query<OpenRequest>({
    name: 'ended-approvals',
    text: `SELECT a.id, a.job_id, a.group_id FROM approval_requests a LEFT JOIN jobs j ON j.id = a.job_id LEFT JOIN job_groups g ON g.id = a.group_id
            WHERE a.created_at + make_interval(hours => $1) <= now() OR j.status <> 'pending' OR g.ended_at IS NOT NULL OR g.cancelled_at IS NOT NULL
            LIMIT 1000`,
    values: [env().GPUQ_APPROVAL_HOURS],
  })
  for (const request of rows) {
    await transaction(async (tx) => {
      const { rowCount } = await tx.query('DELETE FROM approval_requests WHERE id = $1', [request.id])
      if (rowCount === 1) await end(tx, request, capitalized(notInTime()))
    })
  }
  if (rows.length > 0) wakeLeader()
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
