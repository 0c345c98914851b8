import { z } from 'zod'
import { type Actor, isAdmin } from '../../access/actor'
import { forbidden, notFound } from '../../contract/errors'
import { database } from '../../database/client'
import { cutPage, decodeTimeCursor, type Page } from '../../database/pagination'
import { findRow, oneRow, type Transaction } from '../../database/transaction'
import { waitForActor } from '../../jobs/live/wait'
import {
  findCompetition,
  findPhase,
  type Rights,
  requireStaff,
  rightsOf,
  type SeenCompetition,
} from '../access'
import type { PhaseConfig } from '../contract-config'
import type { Entry, entryListQuerySchema, ownEntriesSchema, QuotaLeft } from '../contract-entries'
import type { CompetitionRole } from '../contract-roles'
import { noQuota, quotaLeft, readUsed } from './quota'
import { type EntryRow, entryColumns, entryTables, toEntry } from './to-entry'

export const noSuchEntry = () =>
  notFound('You have no entry with this id. The page of the competition lists the entries of your team.')

/** An entry that a caller may see. */
export interface SeenEntry extends EntryRow {
  viewer: Rights
  /** The caller's role in the competition; null: none. */
  role: CompetitionRole | null
  /** The caller is of its team, or sent it as a baseline. */
  isOwn: boolean
}

/**
 * Finds an entry of the caller's team, or as staff any entry of the competition.
 * @throws 404, the same for an unknown one and for one that the caller may not see.
 */
export async function findEntry(
  actor: Actor,
  id: string,
  executor: Transaction = database().pool,
): Promise<SeenEntry> {
  if (!z.uuid().safeParse(id).success) throw noSuchEntry()
  const row = await findRow<EntryRow & { role: CompetitionRole | null; ownTeamId: string | null }>(executor, {
    name: 'find-entry',
    text: `SELECT ${entryColumns}, m.role, m.team_id AS "ownTeamId"
             FROM ${entryTables}
             LEFT JOIN competition_members m ON m.competition_id = e.competition_id AND m.user_id = $2 AND m.state = 'joined'
            WHERE e.id = $1`,
    values: [id, actor.userId],
  })
  if (!row) throw noSuchEntry()
  const { role, ownTeamId, ...entry } = row
  const viewer = rightsOf(isAdmin(actor), role)
  const isOwn =
    entry.teamId === null ? viewer.isStaff && entry.userId === actor.userId : entry.teamId === ownTeamId
  if (!viewer.isStaff && !isOwn) throw noSuchEntry()
  return { ...entry, viewer, role, isOwn }
}

export async function readEntry(actor: Actor, id: string): Promise<Entry> {
  const entry = await findEntry(actor, id)
  return toEntry(entry, entry.viewer)
}

/** Waits until an entry that the actor may see has ended. Returns false if `signal` was aborted first. @throws 401 for a credential that was revoked. */
export function waitForEntry(actor: Actor, id: string, signal: AbortSignal): Promise<boolean> {
  return waitForActor(actor, { id, kind: 'entry' }, signal, async () => {
    const row = await findRow<{ ended: boolean }>(database().pool, {
      name: 'entry-ended',
      text: 'SELECT ended_at IS NOT NULL AS ended FROM entries WHERE id = $1',
      values: [id],
    })
    return row?.ended ?? true
  })
}

/** Lists entries of a phase, newest first: of the caller's team, or as staff of a team or of all. */
export async function listEntries(
  actor: Actor,
  slug: string,
  phaseKey: string,
  { all, team, limit, cursor }: z.output<typeof entryListQuerySchema>,
): Promise<Page<Entry>> {
  const competition = await findCompetition(actor, slug)
  if (all || team !== undefined) requireStaff(competition)
  else requireJoined(competition)
  const phase = await findPhase(competition, phaseKey)
  const { at, id } = decodeTimeCursor(cursor)
  const { rows } = await database().pool.query<EntryRow>(
    `SELECT ${entryColumns} FROM ${entryTables}
      WHERE e.phase_id = $1 AND ($2 OR ($3::text IS NOT NULL AND lower(t.name) = lower($3))
             OR ($3::text IS NULL AND (e.team_id = $4 OR (e.team_id IS NULL AND e.user_id = $5))))
        AND ($6::timestamptz IS NULL OR (e.received_at, e.id) < ($6, $7::uuid))
      ORDER BY e.received_at DESC, e.id DESC LIMIT $8`,
    [phase.id, all, team ?? null, competition.teamId, actor.userId, at, id, limit + 1],
  )
  return cutPage(
    rows,
    limit,
    (row) => [row.receivedAt.toISOString(), row.id],
    (row) => toEntry(row, competition),
  )
}

/** What the caller's team may still send to a phase, and its entries that wait. */
export async function readOwnEntries(
  actor: Actor,
  slug: string,
  phaseKey: string,
): Promise<z.infer<typeof ownEntriesSchema>> {
  const competition = await findCompetition(actor, slug)
  requireJoined(competition)
  const { teamId, timezone, id: competitionId } = competition
  const phase = await findPhase(competition, phaseKey)
  const quota = await readQuota(database().pool, { phaseId: phase.id, spec: phase.spec, teamId, timezone })
  const { rows } = await database().pool.query<{ id: string; place: number; ahead: number }>({
    name: 'places-of-entries',
    text: `SELECT id, place, ahead FROM (
             SELECT id, phase_id, team_id, user_id, (row_number() OVER earlier)::int AS place,
                    (row_number() OVER earlier - row_number() OVER (PARTITION BY team_id ORDER BY received_at, id))::int AS ahead
               FROM entries WHERE competition_id = $1 AND state = 'held'
             WINDOW earlier AS (ORDER BY received_at, id)) e
            WHERE phase_id = $2 AND (team_id = $3 OR (team_id IS NULL AND user_id = $4)) ORDER BY place LIMIT 200`,
    values: [competitionId, phase.id, teamId, actor.userId],
  })
  return { quota, waiting: rows }
}

interface QuotaAsked {
  phaseId: string
  spec: PhaseConfig
  /** Null: the staff. */
  teamId: string | null
  timezone: string
}

/** What a team has left of a phase now. */
export async function readQuota(
  executor: Transaction,
  { phaseId, spec, teamId, timezone }: QuotaAsked,
): Promise<QuotaLeft> {
  if (teamId === null) return noQuota
  const { at } = await oneRow<{ at: Date }>(executor, { name: 'quota-now', text: 'SELECT now() AS at' })
  const used = await readUsed(executor, { phaseId, teamId, timezone }, at)
  return quotaLeft(spec.quota, used, { at, timezone })
}

/** @throws 403 unless the caller takes part or is of the staff. */
function requireJoined({ slug, role, state, isStaff }: SeenCompetition): void {
  if (isStaff || role === 'participant') return
  if (role === 'observer') throw forbidden(`Observers of "${slug}" have no entries.`)
  throw forbidden(
    state === 'requested'
      ? `You have no entries in "${slug}" yet. Its staff must approve your request first.`
      : `You have not joined "${slug}". Join it first: POST /api/competitions/${slug}/join.`,
  )
}
