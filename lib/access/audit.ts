import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import type { AuditEvent, listAuditSchema } from '../contract/access/access'
import type { AuditAction } from '../contract/access/audit-actions'
import { rateLimited } from '../contract/errors'
import { database } from '../database/client'
import { datesToText, type WithDates } from '../database/dates'
import { cutPage, decodeTimeCursor, type Page } from '../database/pagination'
import type { Transaction } from '../database/transaction'
import { env } from '../env'
import { logSampled } from '../logger'
import { type Actor, requireAdmin } from './actor'
import { shortenDetail } from './audit-detail'

/** An audit event. Neither `target` nor `detail` may contain secrets. */
interface AuditEntry {
  /** A user's id; null for gpuq itself or an unauthenticated caller. */
  actorId: string | null
  /** One that takes something away ends with `deleted`, `revoked`, `removed` or `cancelled`. */
  action: AuditAction
  /** The object of the action, by a name that people recognize. */
  target: string | null
  detail?: Record<string, unknown>
}

/** Maximum length of a target. Handles and the ids of projects are much shorter. */
const maxTargetCharacters = 500
/** Maximum events of one researcher in a day, of each of two classes. People cause some tens; a script without end must not fill the log. */
export const eventsPerDay = 5_000

/** Actions that must always be possible. They have a limit of their own, above which they happen without an event. */
const neverRefused = '^(sign_|sessions?_|password_)|_(deleted|revoked|removed|cancelled)$'

/**
 * Writes an event in the transaction of its change, so that both are stored or neither. The only writer of events. Shortens a
 * long detail.
 * @throws 429 if a researcher has caused too many events in a day and the action may be refused.
 */
export async function recordAudit(executor: Transaction, entry: AuditEntry): Promise<void> {
  const { actorId, action, target, detail = {} } = entry
  const { rowCount } = await executor.query({
    name: 'record-audit',
    text: `INSERT INTO audit_events (id, actor_id, action, target, detail)
           SELECT $1::uuid, $2::uuid, $3::text, $4::text, $5::jsonb
            WHERE $2::uuid IS NULL OR EXISTS (SELECT 1 FROM users WHERE id = $2 AND role = 'admin')
               OR (SELECT count(*) FROM (SELECT 1 FROM audit_events WHERE actor_id = $2 AND at > now() - interval '1 day'
                      AND counts_to_actor(actor_id, action) AND (action ~ '${neverRefused}') = ($3 ~ '${neverRefused}')
                      LIMIT ${eventsPerDay}) today) < ${eventsPerDay}`,
    values: [
      uuidv7(),
      actorId,
      action,
      target?.slice(0, maxTargetCharacters) ?? null,
      JSON.stringify(shortenDetail(detail)),
    ],
  })
  if (rowCount === 1) return
  if (new RegExp(neverRefused).test(action)) {
    const message = 'the audit log has no more events of this user today'
    return logSampled('warn', { actor: actorId, action, target }, message, 'audit')
  }
  throw rateLimited(
    `You have made ${eventsPerDay} changes that the audit log records in one day, which is the limit. Continue tomorrow, or ask an admin to make the change.`,
    3600,
  )
}

/** Events that one statement deletes, so that it holds few locks for a short time. */
const deletedTogether = 5_000

/** Deletes events after their retention. */
export async function deleteOldAuditEvents(): Promise<void> {
  const days = env().GPUQ_AUDIT_RETENTION_DAYS
  for (let deleted: number | null = deletedTogether; deleted === deletedTogether; ) {
    ;({ rowCount: deleted } = await database().pool.query(
      `DELETE FROM audit_events WHERE id IN (
         SELECT id FROM audit_events WHERE at < now() - make_interval(days => $1) ORDER BY at LIMIT $2)`,
      [days, deletedTogether],
    ))
  }
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
