import { createHmac } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { Actor } from '../../access/actor'
import { conflict, forbidden, invalidField } from '../../contract/errors'
import { wakeLeader } from '../../database/notify'
import {
  findRow,
  isUniqueViolation,
  oneRow,
  type Transaction,
  transaction,
  undoneTransaction,
} from '../../database/transaction'
import type { CompetitionConfig, PhaseConfig } from '../contract-config'
import type { Entry } from '../contract-entries'
import { maxEntries } from '../contract-limits'
import { type CompetitionRole, staffRoles } from '../contract-roles'
import { acceptedUntil, endFor } from '../grades/penalty'
import { type NewestVersions, newestDatasets, newestLabels, newestOf, newestScorer } from '../newest-versions'
import { choosePhase, type DatedPhase } from './choose-phase'
import type { EntryRequest } from './entry-request'
import { quotaExceeded, readRehearsals, readUsed, refuseEntry, refuseRehearsal } from './quota'

/** An entry that was accepted, now or by an earlier submission with the same key. */
export interface AcceptedEntry {
  id: string
  repeated: boolean
}

/**
 * Accepts an entry, whatever the size of the queue and the caller's limits on jobs are: the quota of the phase replaces them. It is durable once
 * this resolves. One transaction under a lock on the team's row decides everything.
 * @throws 403 for who may not send entries or has used up the quota; 409 if no phase is open; 422 for a phase that does not exist, and for a key
 * that was used for another submission.
 */
export async function acceptEntry(
  actor: Actor,
  competitionId: string,
  request: EntryRequest,
): Promise<AcceptedEntry> {
  const enter = () =>
    transaction(async (tx) => {
      const receivedAt = await toDatabaseTime(tx, request.completedMs)
      return enterCompetition(tx, actor, competitionId, { ...request, receivedAt })
    })
  // The second attempt finds the entry that another request with the same key has made meanwhile.
  const accepted = await enter().catch((error: unknown) => {
    if (isUniqueViolation(error, 'entries_user_id_idempotency_key_key')) return enter()
    throw error
  })
  wakeLeader()
  return accepted
}

/** Takes the steps of {@link acceptEntry}, reads what it made, and undoes it. @throws its errors. */
export function tryEntry<Result>(
  actor: Actor,
  competitionId: string,
  request: EntryRequest,
  read: (tx: Transaction, entryId: string) => Promise<Result>,
): Promise<Result> {
  return undoneTransaction(async (tx) => {
    const receivedAt = await toDatabaseTime(tx, request.completedMs)
    const given = { ...request, idempotencyKey: null, receivedAt }
    const { id } = await enterCompetition(tx, actor, competitionId, given)
    return read(tx, id)
  })
}

/** When something happened in this process, on the clock of the database, which also started and ended the phase. */
async function toDatabaseTime(tx: Transaction, ms: number): Promise<Date> {
  const { at } = await oneRow<{ at: Date }>(tx, {
    name: 'database-time',
    text: 'SELECT clock_timestamp() - make_interval(secs => $1) AS at',
    values: [(performance.now() - ms) / 1000],
  })
  return at
}

/** Takes an entry that arrived at a time. For {@link acceptEntry} and tests. */
export async function enterCompetition(
  tx: Transaction,
  { userId }: Pick<Actor, 'userId'>,
  competitionId: string,
  request: EntryRequest & { receivedAt: Date },
): Promise<AcceptedEntry> {
  const { receivedAt } = request
  const lockedTeam = await lockTeam(tx, competitionId, userId)
  const repeated = await findRepeated(tx, userId, request)
  if (repeated !== null) return { id: repeated, repeated: true }
  const given = await readGiven(tx, competitionId, userId)
  const isStaff = requireMember(given, lockedTeam)
  const teamId = isStaff ? null : lockedTeam
  const phase = choosePhase(
    given.phases.map((one) => ({ ...one, ...datesOf(one, given) })),
    { slug: given.slug, timezone: given.timezone, asked: request.phase, receivedAt },
  )
  if (isStaff && request.rehearse)
    throw invalidField(
      'rehearse',
      'is for participants: entries of the staff are baselines, which have no quota',
    )
  if (request.rehearse && phase.spec.rehearse === undefined)
    throw invalidField('rehearse', `the phase "${phase.key}" has no sample data: remove this key`)
  await requireStorage(tx, competitionId, teamId)
  const { timezone } = given
  if (!isStaff) {
    const of = { phaseId: phase.id, teamId, timezone }
    const moment = { at: receivedAt, timezone }
    const why = request.rehearse
      ? refuseRehearsal(await readRehearsals(tx, { ...of, competitionId, userId }, receivedAt), moment)
      : refuseEntry(phase.spec.quota, await readUsed(tx, of, receivedAt), moment)
    if (why !== null) throw quotaExceeded(why)
  }
  return { id: await insertEntry(tx, { request, given, phase, userId, teamId }), repeated: false }
}

/** Serializes the entries of a team, so that two of them cannot take the same place of a quota. Returns the team; null: none. */
async function lockTeam(tx: Transaction, competitionId: string, userId: string): Promise<string | null> {
  const team = await findRow<{ id: string }>(tx, {
    name: 'lock-team-of-entry',
    text: `SELECT t.id FROM competition_teams t JOIN competition_members m ON m.team_id = t.id
            WHERE m.competition_id = $1 AND m.user_id = $2 FOR NO KEY UPDATE OF t`,
    values: [competitionId, userId],
  })
  return team?.id ?? null
}

/** Finds the entry that the caller's key was used for. */
async function findRepeated(
  tx: Transaction,
  userId: string,
  { idempotencyKey: key, bodyHash }: Pick<EntryRequest, 'idempotencyKey' | 'bodyHash'>,
): Promise<string | null> {
  if (key === null) return null
  // As for jobs, a key is free again after a day.
  await tx.query({
    name: 'free-old-key',
    text: `UPDATE entries SET idempotency_key = NULL
            WHERE user_id = $1 AND idempotency_key = $2 AND received_at < now() - interval '1 day'`,
    values: [userId, key],
  })
  const row = await findRow<{ id: string | null; hash: Buffer }>(tx, {
    name: 'find-entry-of-key',
    text: `SELECT id, body_hash AS hash FROM entries WHERE user_id = $1 AND idempotency_key = $2
           UNION ALL SELECT NULL, body_hash FROM idempotency_keys WHERE user_id = $1 AND key = $2 LIMIT 1`,
    values: [userId, key],
  })
  if (!row) return null
  if (row.id !== null && row.hash.equals(bodyHash)) return row.id
  const message = 'This Idempotency-Key was used for another submission. Use a new key for a new job.'
  throw invalidField('Idempotency-Key', message, message)
}

/** What the competition gives to an entry now. */
interface Given extends NewestVersions {
  competitionId: string
  timezone: string
  terms: string | null
  secret: Buffer
  spec: CompetitionConfig
  role: CompetitionRole
  state: 'requested' | 'joined'
  teamId: string | null
  termsAcceptedAt: Date | null
  /** The most of a member of the team. */
  graceDays: number
  phases: GivenPhase[]
  scorerId: string | null
}

interface GivenPhase {
  id: string
  key: string
  startsAt: string
  endsAt: string
  /** The latest extension of a member of the team; null: none has one. */
  extendedTo: string | null
  isRevealed: boolean
  spec: PhaseConfig
}

/** When entries of a team are due. What a member may do, all of its team may: they send their entries together. */
function datesOf(
  { startsAt, endsAt, extendedTo, isRevealed, spec }: GivenPhase,
  { timezone, graceDays }: Pick<Given, 'timezone' | 'graceDays'>,
): Omit<DatedPhase, 'key'> {
  const deadline = {
    endsAt: new Date(endsAt),
    extendedTo: extendedTo === null ? null : new Date(extendedTo),
    late: spec.late ?? null,
    timezone,
  }
  // After the reveal, private scores of more entries would show the labels piece by piece.
  const closes = isRevealed ? { dueAt: deadline.endsAt, acceptedUntil: deadline.endsAt } : null
  return {
    startsAt: new Date(startsAt),
    endsAt: deadline.endsAt,
    ...(closes ?? { dueAt: endFor(deadline), acceptedUntil: acceptedUntil(deadline, graceDays) }),
  }
}

/** Reads all in one statement, so that a change of the competition gives an entry either everything before it, or everything after it. */
async function readGiven(tx: Transaction, competitionId: string, userId: string): Promise<Given> {
  const given = await findRow<Given>(tx, {
    name: 'read-for-entry',
    text: `SELECT c.id AS "competitionId", c.slug, c.timezone, c.terms, c.secret, c.spec, m.role, m.state, m.team_id AS "teamId",
                  m.terms_accepted_at AS "termsAcceptedAt",
                  coalesce((SELECT max(o.grace_days) FROM competition_members o WHERE o.team_id = m.team_id), 0) AS "graceDays",
                  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'key', p.key, 'startsAt', p.starts_at, 'endsAt', p.ends_at, 'spec', p.spec,
                            'isRevealed', p.revealed_at IS NOT NULL,
                            'extendedTo', (SELECT max(x.until) FROM competition_extensions x JOIN competition_members o ON o.user_id = x.user_id
                                            WHERE x.phase_id = p.id AND o.team_id = m.team_id))
                                             ORDER BY p.position), '[]')
                     FROM competition_phases p WHERE p.competition_id = c.id AND p.position IS NOT NULL) AS phases,
                  ${newestDatasets} AS datasets, ${newestScorer} AS "scorerId"
             FROM competitions c JOIN competition_members m ON m.competition_id = c.id
            WHERE c.id = $1 AND m.user_id = $2 AND c.published`,
    values: [competitionId, userId],
  })
  if (!given) throw forbidden('You have left this competition. Join it again, then submit.')
  return given
}

/** Returns whether the sender is of the staff. @throws 403 for others who may not send entries now. */
function requireMember(
  { slug, role, state, terms, termsAcceptedAt, ...given }: Given,
  teamId: string | null,
): boolean {
  if (state === 'joined' && staffRoles.includes(role)) return true
  if (state !== 'joined' || role !== 'participant' || teamId === null)
    throw forbidden(`You do not take part in "${slug}" any more. Join it again, then submit.`)
  if (given.teamId !== teamId) throw conflict('Your team has just changed. Submit again.')
  if (terms !== null && termsAcceptedAt === null)
    throw forbidden(
      `"${slug}" has terms that you have not accepted. Read them on the page /competitions/${slug} and accept them, or send POST /api/competitions/${slug}/join with accept_terms: true.`,
    )
  return false
}

/** @throws 403 if the team, or the staff, has as many entries as are kept. */
async function requireStorage(tx: Transaction, competitionId: string, teamId: string | null): Promise<void> {
  const { stored } = await oneRow<{ stored: number }>(tx, {
    name: 'count-stored-entries',
    text: `SELECT count(*)::int AS stored FROM (
             SELECT FROM entries WHERE competition_id = $1 AND team_id IS NOT DISTINCT FROM $2 LIMIT ${maxEntries}) e`,
    values: [competitionId, teamId],
  })
  if (stored >= maxEntries)
    throw quotaExceeded(
      `${teamId === null ? 'The staff' : 'Your team'} has ${maxEntries} entries and rehearsals in this competition, and gpuq keeps no more.`,
    )
}

interface NewEntry {
  request: EntryRequest & { receivedAt: Date }
  given: Given
  phase: { id: string; spec: PhaseConfig }
  userId: string
  teamId: string | null
}

async function insertEntry(
  tx: Transaction,
  { request, given, phase, userId, teamId }: NewEntry,
): Promise<string> {
  const { scorerId, secret } = given
  if (scorerId === null) throw conflict(`"${given.slug}" has no scoring program. Ask a host to add it.`)
  const id = uuidv7()
  const kind = teamId === null ? 'baseline' : request.rehearse ? 'rehearsal' : 'entry'
  await tx.query({
    name: 'insert-entry',
    text: `INSERT INTO entries (id, competition_id, phase_id, team_id, user_id, kind, name, tags, args, code, source_hash, received_at, mounts,
                                labels, spec, scorer_id, seed, idempotency_key, body_hash)
           VALUES ($1, $2, $3, $4, $5, $6::"EntryKind", $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
    values: [
      id,
      given.competitionId,
      phase.id,
      teamId,
      userId,
      kind,
      request.name,
      request.tags,
      request.args,
      request.code,
      request.sourceHash,
      request.receivedAt,
      JSON.stringify(mountsOf(given, phase.spec, kind)),
      JSON.stringify(kind === 'rehearsal' ? {} : newestLabels(given, phase.spec)),
      JSON.stringify(phase.spec),
      scorerId,
      seedOf(secret, id),
      request.idempotencyKey,
      request.bodyHash,
    ],
  })
  return id
}

/** What the program reads. A rehearsal finds the sample data at the place of the hidden data. */
function mountsOf(
  given: Given,
  { inputs, rehearse }: PhaseConfig,
  kind: Entry['kind'],
): Record<string, string> {
  return Object.fromEntries(
    inputs.map((name) => {
      const isHidden = given.spec.datasets[name]?.role !== 'public'
      const read = kind === 'rehearsal' && isHidden && rehearse !== undefined ? rehearse : name
      return [`/data/${name}`, newestOf(given, read)]
    }),
  )
}

/** What only gpuq knows before the entry runs, and a repetition of the entry gets again. */
function seedOf(secret: Buffer, entryId: string): string {
  return createHmac('sha256', secret).update(entryId).digest('hex').slice(0, 16)
}
