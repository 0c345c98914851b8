import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import type { AuditEvent, listAuditSchema } from '../contract/access/access'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { cutPage, decodeTimeCursor, type Page } from '../database/pagination'
import type { Transaction } from '../database/transaction'
import { type Actor, requireAdmin } from './actor'

/** An audit event. Neither `target` nor `detail` may contain secrets. */
interface AuditEntry {
  /** A user's id; null for gpuq itself or an unauthenticated caller. */
  actorId: string | null
  /** The action, such as `token_created`. */
  action: string
  /** The object of the action, by a name that people recognize. */
  target: string | null
  detail?: Record<string, unknown>
}

/** Writes an event in the transaction of its change, so that both are stored or neither. */
export async function recordAudit(executor: Transaction, entry: AuditEntry): Promise<void> {
  await executor.query({
    name: 'record-audit',
    text: 'INSERT INTO audit_events (id, actor_id, action, target, detail) VALUES ($1, $2, $3, $4, $5)',
    values: [uuidv7(), entry.actorId, entry.action, entry.target, JSON.stringify(entry.detail ?? {})],
  })
}

/** The names of actions whose target is the handle of a user: those on users and their credentials. */
const userActions = '^(user|invitation|account|sign|session|sessions|password|token)_'

/** Lists audit events, the latest first. */
export async function listAudit(
  actor: Actor,
  query: z.output<typeof listAuditSchema>,
): Promise<Page<AuditEvent>> {
  requireAdmin(actor)
  const after = decodeTimeCursor(query.cursor)
  const { rows } = await database().pool.query<WithDates<AuditEvent, 'at'>>(
    `SELECT e.id, e.at, u.handle AS actor, u.name AS actor_name, e.action, e.target, t.name AS target_name, e.detail
       FROM audit_events e LEFT JOIN users u ON u.id = e.actor_id
       LEFT JOIN users t ON lower(t.handle) = lower(e.target) AND e.action ~ '${userActions}'
      WHERE ($1::text IS NULL OR lower(u.handle) = lower($1)) AND ($2::text IS NULL OR e.action = $2)
        AND ($3::timestamptz IS NULL OR (e.at, e.id) < ($3, $4::uuid))
      ORDER BY e.at DESC, e.id DESC LIMIT $5`,
    [query.actor, query.action, after.at, after.id, query.limit + 1],
  )
  return cutPage(rows, query.limit, ({ at, id }) => [at.toISOString(), id], datesToText)
}
