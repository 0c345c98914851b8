import { type Actor, isAdmin } from '../../access/actor'
import { invalidField } from '../../contract/errors'
import { oneRow, type Transaction } from '../../database/transaction'
import type { CompetitionRole } from '../contract'
import type { CompetitionConfig } from '../contract-config'
import { setHosts } from '../members/host-rights'
import { lockCompetition } from '../members/locks'
import { loseTeam } from '../members/lose-team'

type Roles = CompetitionConfig['roles']

/**
 * Gives users the roles that the file names. A user whom the previous file named and this one does not is removed, unless the role was
 * changed otherwise meanwhile. Everybody else keeps their role, such as whoever created the competition.
 * @param before the roles of the previous file; null: there is none
 * @returns whether anything changed
 * @throws 422 for an unknown user; 409 for a participant whose team has entries.
 */
export async function writeRoles(
  tx: Transaction,
  id: string,
  roles: Roles,
  before: Roles | null,
): Promise<boolean> {
  const named = await findNamed(tx, roles)
  let changed = false
  for (const { path, handle, userId, role } of named) {
    if (userId === null) throw invalidField(path, `there is no user "${handle}"`)
    const { rows } = await tx.query<{ teamId: string | null }>(
      `INSERT INTO competition_members AS m (competition_id, user_id, role, state) VALUES ($1, $2, $3::"CompetitionRole", 'joined')
       ON CONFLICT (competition_id, user_id) DO UPDATE SET role = excluded.role, state = 'joined'
        WHERE (m.role, m.state) <> (excluded.role, excluded.state) RETURNING team_id AS "teamId"`,
      [id, userId, role],
    )
    const [member] = rows
    if (!member) continue
    changed = true
    if (member.teamId !== null) await loseTeam(tx, id, { userId, handle }, member.teamId)
  }
  const left = (await findNamed(tx, before ?? {})).filter(
    ({ userId }) => !named.some((one) => one.userId === userId),
  )
  for (const { userId, role } of left) {
    const { rowCount } = await tx.query(
      `DELETE FROM competition_members WHERE competition_id = $1 AND user_id = $2 AND role = $3::"CompetitionRole" AND state = 'joined'`,
      [id, userId, role],
    )
    changed ||= rowCount === 1
  }
  return changed
}

/**
 * Makes the hosts managers of the project. Locks the competition as hosts who leave do, so that of two who go at once the second is refused;
 * everything else is locked before it.
 * @throws 422 if no host is left, or if a host would remove themselves, who could not see the answer.
 */
export async function settleHosts(
  tx: Transaction,
  actor: Actor,
  competition: { id: string; projectId: string },
): Promise<void> {
  await lockCompetition(tx, competition.id)
  await requireSomeHost(tx, actor, competition.id)
  await setHosts(tx, competition)
}

interface Named {
  /** Its place in the file. */
  path: string
  handle: string
  role: CompetitionRole
  /** Null: there is no such user. */
  userId: string | null
}

/** Finds the users of a list of roles. The account of a competition is none. */
async function findNamed(tx: Transaction, roles: Roles): Promise<Named[]> {
  const named = (['host', 'instructor', 'ta', 'observer'] as const).flatMap((role) =>
    (roles[role] ?? []).map((handle, index) => ({ path: `roles.${role}.${index}`, handle, role })),
  )
  if (named.length === 0) return []
  const { rows } = await tx.query<{ userId: string; handle: string }>(
    `SELECT u.id AS "userId", lower(u.handle) AS handle FROM users u
      WHERE lower(u.handle) = ANY ($1::text[]) AND NOT EXISTS (SELECT 1 FROM competitions c WHERE c.user_id = u.id)`,
    [named.map(({ handle }) => handle.toLowerCase())],
  )
  const ids = new Map(rows.map(({ userId, handle }) => [handle, userId]))
  return named.map((one) => ({ ...one, userId: ids.get(one.handle.toLowerCase()) ?? null }))
}

async function requireSomeHost(tx: Transaction, actor: Actor, competitionId: string): Promise<void> {
  const { hosted } = await oneRow<{ hosted: boolean }>(
    tx,
    `SELECT EXISTS (SELECT 1 FROM competition_members WHERE competition_id = $1 AND role = 'host' AND state = 'joined'
                       AND ($2::uuid IS NULL OR user_id = $2)) AS hosted`,
    [competitionId, isAdmin(actor) ? null : actor.userId],
  )
  if (hosted) return
  const message = isAdmin(actor)
    ? 'the competition would have no host: name one'
    : 'you would no longer be a host: name yourself, or ask another host to remove you'
  throw invalidField('roles.host', message)
}
