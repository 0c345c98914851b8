import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { database } from '../database/client'
import type { Transaction } from '../database/transaction'
import { cutPage, decodeTimeCursor, type Page } from '../http/pagination'
import { type Actor, requireAdmin } from './actor'
import type { AuditEvent, listAuditSchema } from './schemas'

/** One thing that somebody did. Secrets have no place in it: neither in `target` nor in `detail`. */
export interface AuditEntry {
  /** A user's id; null is gpuq itself, or a stranger. */
  actorId: string | null
  /** What was done, such as `token_created`. */
  action: string
  /** To what, in a name that a person knows. */
  target: string | null
  detail?: Record<string, unknown>
}

/** Writes an event in the transaction of the change that it tells of, so that neither is there without the other. */
export async function recordAudit(executor: Transaction, entry: AuditEntry): Promise<void> {
  await executor.query({
    name: 'record-audit',
    text: 'INSERT INTO audit_events (id, actor_id, action, target, detail) VALUES ($1, $2, $3, $4, $5)',
    values: [uuidv7(), entry.actorId, entry.action, entry.target, JSON.stringify(entry.detail ?? {})],
  })
}

interface AuditRow {
  id: string
  at: Date
  actor: string | null
  action: string
  target: string | null
  detail: Record<string, unknown>
}

/** What was done, the latest first. */
export async function listAudit(
  actor: Actor,
  query: z.output<typeof listAuditSchema>,
): Promise<Page<AuditEvent>> {
  requireAdmin(actor)
  const after = decodeTimeCursor(query.cursor)
  const { rows } = await database().pool.query<AuditRow>(
    `SELECT e.id, e.at, u.handle AS actor, e.action, e.target, e.detail
       FROM audit_events e LEFT JOIN users u ON u.id = e.actor_id
      WHERE ($1::text IS NULL OR lower(u.handle) = lower($1))
        AND ($2::text IS NULL OR e.action = $2)
        AND ($3::timestamptz IS NULL OR (e.at, e.id) < ($3, $4::uuid))
      ORDER BY e.at DESC, e.id DESC LIMIT $5`,
    [query.actor ?? null, query.action ?? null, after.at, after.id, query.limit + 1],
  )
  return cutPage(
    rows,
    query.limit,
    ({ at, id }) => [at.toISOString(), id],
    ({ at, ...row }) => ({ ...row, at: at.toISOString() }),
  )
}
