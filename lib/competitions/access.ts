import type { Actor } from '../access/actor'
import { isAdmin } from '../access/actor'
import { forbidden, notFound } from '../contract/errors'
import { database } from '../database/client'
import { findRow, type Transaction } from '../database/transaction'
import type { CompetitionConfig, PhaseConfig } from './contract-config'
import { type CompetitionRole, staffRoles } from './contract-roles'

/** What somebody may do in a competition. */
export interface Rights {
  /** May change it: a host or an admin. */
  isHost: boolean
  /** Sees the entries of all teams: a host, an instructor, a TA or an admin. */
  isStaff: boolean
}

/** A competition, and who the caller is in it. */
export interface SeenCompetition extends Rights {
  id: string
  slug: string
  title: string
  timezone: string
  published: boolean
  join: CompetitionConfig['join']
  teamMax: number
  terms: string | null
  projectId: string
  /** The account whose jobs the entries are. */
  serviceUserId: string
  /** Counts the changes of the spec and of the phases. */
  version: number
  spec: CompetitionConfig
  /** The caller's role; null: has not joined. Admins see what hosts see, and have no role. */
  role: CompetitionRole | null
  state: 'requested' | 'joined' | null
  teamId: string | null
}

/** The rights of a member of a competition. */
export function rightsOf(isAdmin: boolean, role: CompetitionRole | null): Rights {
  return {
    isHost: isAdmin || role === 'host',
    isStaff: isAdmin || (role !== null && staffRoles.includes(role)),
  }
}

const noSuchCompetition = () =>
  notFound(
    'There is no competition with this id that you may see. GET /api/competitions lists those that you may see.',
  )

/**
 * SQL condition: a caller may see the competition `c`, whose membership of the caller is `m`. Whoever is on the roster must see it to join.
 * @param userId SQL for the id of the caller; null: has not signed in
 * @param admin SQL for whether the caller is an admin
 */
export const maySee = (userId: string, admin: string) =>
  `(${admin} OR (m.role = 'host' AND m.state = 'joined') OR (c.published AND (c.visibility = 'public'
     OR (${userId} IS NOT NULL AND c.visibility = 'signed_in') OR m.state IS NOT NULL OR ${isOnRoster(userId)})))`

/** SQL condition: the e-mail address of a user is on the roster of the competition `c`. */
export const isOnRoster = (userId: string) =>
  `(c.join = 'roster' AND EXISTS (SELECT 1 FROM competition_roster r JOIN users ru ON lower(ru.email) = r.email
     WHERE r.competition_id = c.id AND ru.id = ${userId}))`

/**
 * Finds a competition that the caller may see.
 * @param actor null: has not signed in
 * @throws 404, the same for an unknown one and for one that the caller may not see.
 */
export async function findCompetition(
  actor: Actor | null,
  slug: string,
  executor: Transaction = database().pool,
): Promise<SeenCompetition> {
  const admin = actor !== null && isAdmin(actor)
  const row = await findRow<Omit<SeenCompetition, keyof Rights>>(executor, {
    name: 'find-competition',
    text: `SELECT c.id, c.slug, c.title, c.timezone, c.published, c.join, c.team_max AS "teamMax", c.terms, c.project_id AS "projectId",
                  c.user_id AS "serviceUserId", c.version, c.spec, m.role, m.state, m.team_id AS "teamId"
             FROM competitions c LEFT JOIN competition_members m ON m.competition_id = c.id AND m.user_id = $2
            WHERE c.slug = $1 AND ${maySee('$2::uuid', '$3::boolean')}`,
    values: [slug, actor?.userId ?? null, admin],
  })
  if (!row) throw noSuchCompetition()
  const role = row.state === 'joined' ? row.role : null
  return { ...row, role, ...rightsOf(admin, role) }
}

/** @throws 403 unless the caller is a host of the competition, or an admin. */
export function requireHost({ isHost, slug }: SeenCompetition): void {
  if (!isHost) throw forbidden(`Only hosts of "${slug}" may do this. Ask one of them.`)
}

/** @throws 403 unless the caller is an instructor or a host of the competition, or an admin. */
export function requireInstructor({ isHost, role, slug }: SeenCompetition): void {
  if (!isHost && role !== 'instructor')
    throw forbidden(`Only instructors and hosts of "${slug}" may do this. Ask one of them.`)
}

/** @throws 403 unless the caller is of the staff of the competition, or an admin. */
export function requireStaff({ isStaff, slug }: SeenCompetition): void {
  if (!isStaff) throw forbidden(`Only hosts, instructors and TAs of "${slug}" may do this. Ask one of them.`)
}

/** A phase of a competition. */
export interface PhaseRow {
  id: string
  key: string
  startsAt: Date
  endsAt: Date
  freezeAt: Date | null
  revealedAt: Date | null
  spec: PhaseConfig
  state: 'upcoming' | 'open' | 'ended'
}

/** SQL for the columns of {@link PhaseRow}, of the phase `p`. */
export const phaseColumns = `p.id, p.key, p.starts_at AS "startsAt", p.ends_at AS "endsAt", p.freeze_at AS "freezeAt", p.revealed_at AS "revealedAt",
  p.spec, CASE WHEN now() < p.starts_at THEN 'upcoming' WHEN now() < p.ends_at THEN 'open' ELSE 'ended' END AS state`

/** Finds a phase that the competition has now. @throws 404 with the phases that it has. */
export async function findPhase(
  { id, slug, spec }: Pick<SeenCompetition, 'id' | 'slug' | 'spec'>,
  key: string,
  executor: Transaction = database().pool,
): Promise<PhaseRow> {
  const phase = await findRow<PhaseRow>(
    executor,
    `SELECT ${phaseColumns} FROM competition_phases p WHERE p.competition_id = $1 AND p.key = $2 AND p.position IS NOT NULL`,
    [id, key],
  )
  if (phase) return phase
  throw notFound(`"${slug}" has no phase "${key}". It has ${spec.phases.map((one) => one.key).join(', ')}.`)
}
