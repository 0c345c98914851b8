import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { type Actor, requireAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { invitationLifetime, newInvitation } from '../access/users/invitations'
import type { AuditAction } from '../contract/access/audit-actions'
import { conflict, invalidField } from '../contract/errors'
import { acquireAccountLock } from '../database/locks'
import { isUniqueViolation, type Transaction, transaction } from '../database/transaction'
import { queueInvitationMails, requireMailServer } from '../notifications/invitation-mails'
import type { ImportedInvitation, importUsersSchema, UserImport } from './contract'
import { type ImportPlan, type PlannedUser, planImport } from './plan-import'

/**
 * Imports users from the text of a CSV file: creates new ones with an invitation, and changes existing ones, all in one
 * transaction. A repeated import changes nothing.
 * @param origin the address at which the admin reached gpuq
 * @throws 422 for a file with problems, unless it is a dry run; 409 if a user of the file was created meanwhile, or if the
 * import is no longer what the preview with this `plan` has shown.
 */
export async function importUsers(
  actor: Actor,
  { csv, dry_run, invite_by, plan: previewed }: z.output<typeof importUsersSchema>,
  origin: string,
): Promise<UserImport> {
  requireAdmin(actor)
  if (invite_by === 'email') requireMailServer()
  return transaction(async (tx) => {
    // The second import of a file finds the users of the first one.
    if (!dry_run) await acquireAccountLock(tx, 'gpuq user imports')
    const plan = await planImport(tx, csv, { lock: !dry_run })
    const users = plan.users.map(({ row: _, id: __, joins: ___, ...user }) => user)
    const hash = createHash('sha256').update(JSON.stringify(users)).digest('base64url')
    if (!dry_run && previewed !== undefined && previewed !== hash && plan.problems.length === 0)
      throw changedMeanwhile()
    const invitations = dry_run ? [] : await write(tx, actor, plan, { origin, byMail: invite_by === 'email' })
    const mailed = users.filter(({ action }) => action === 'create').length - invitations.length
    return { dry_run, plan: hash, users, problems: plan.problems, invitations, mailed: dry_run ? 0 : mailed }
  })
}

const changedMeanwhile = () =>
  conflict('Users or projects of this file changed meanwhile. Nothing was imported. Preview the file again.')

async function write(
  tx: Transaction,
  actor: Actor,
  { users, problems }: ImportPlan,
  { origin, byMail }: { origin: string; byMail: boolean },
): Promise<ImportedInvitation[]> {
  const [problem] = problems
  if (problem) {
    const place = problem.column === null ? `line ${problem.line}` : `line ${problem.line}, ${problem.column}`
    const more = problems.length > 1 ? ` There are ${problems.length - 1} more problems.` : ''
    throw invalidField('csv', `${place}: ${problem.message}${more} Nothing was imported.`)
  }
  const created = users
    .filter(({ id }) => id === null)
    .map((user) => ({
      ...user,
      id: uuidv7(),
      invitation: newInvitation(origin),
      mailed: byMail && user.email !== null,
    }))
  const changed = users.filter(
    (user): user is PlannedUser & { id: string } => user.id !== null && user.action === 'change',
  )
  const expiresAt = await insertUsers(tx, created)
  await changeUsers(tx, changed)
  await addMembers(tx, [...created, ...changed])
  await recordImport(tx, actor, created, changed)
  await queueInvitationMails(
    tx,
    created.filter(({ mailed }) => mailed).map(({ id }) => id),
  )
  const linked = created.filter(({ mailed }) => !mailed)
  return linked.map(({ user_id, name, email, invitation }) => ({
    user_id,
    name,
    email,
    url: invitation.url,
    expires_at: expiresAt,
  }))
}

type CreatedUser = PlannedUser & {
  id: string
  invitation: ReturnType<typeof newInvitation>
  /** The link is made when the e-mail is sent. */
  mailed: boolean
}

/** Returns when the invitations expire. */
async function insertUsers(tx: Transaction, users: readonly CreatedUser[]): Promise<string> {
  const { rows } = await tx
    .query<{ expires_at: Date }>(
      `INSERT INTO users (id, handle, email, name, role, max_active_jobs, job_limits, invitation_hash, invitation_expires_at)
       SELECT w.id, w.handle, w.email, w.name, w.role::"Role", w.active,
              jsonb_strip_nulls(jsonb_build_object('max_priority', w.priority)), w.hash,
              CASE WHEN w.hash IS NOT NULL THEN now() + $9::interval END
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::bytea[])
              AS w (id, handle, email, name, role, active, priority, hash)
       RETURNING now() + $9::interval AS expires_at`,
      [
        users.map(({ id }) => id),
        users.map(({ user_id }) => user_id),
        users.map(({ email }) => email),
        users.map(({ name }) => name),
        users.map(({ row }) => row.role ?? 'researcher'),
        users.map(({ row }) => row.max_active_jobs ?? null),
        users.map(({ row }) => row.max_priority ?? null),
        users.map(({ invitation, mailed }) => (mailed ? null : invitation.hash)),
        invitationLifetime,
      ],
    )
    .catch((error) => {
      throw createdMeanwhile(error)
    })
  return (rows[0]?.expires_at ?? new Date()).toISOString()
}

async function changeUsers(tx: Transaction, users: readonly (PlannedUser & { id: string })[]): Promise<void> {
  await tx
    .query(
      `UPDATE users u SET email = coalesce(w.email, u.email), name = coalesce(w.name, u.name),
              role = coalesce(w.role::"Role", u.role), max_active_jobs = coalesce(w.active, u.max_active_jobs),
              job_limits = u.job_limits || jsonb_strip_nulls(jsonb_build_object('max_priority', w.priority))
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[])
              AS w (id, email, name, role, active, priority)
        WHERE u.id = w.id`,
      [
        users.map(({ id }) => id),
        users.map(({ row }) => row.email ?? null),
        users.map(({ row }) => row.name ?? null),
        users.map(({ row }) => row.role ?? null),
        users.map(({ row }) => row.max_active_jobs ?? null),
        users.map(({ row }) => row.max_priority ?? null),
      ],
    )
    .catch((error) => {
      throw createdMeanwhile(error)
    })
}

function createdMeanwhile(error: unknown): unknown {
  const names = ['users_handle_key', 'users_handle_lower_key', 'users_email_key', 'users_email_lower_key']
  if (!names.some((name) => isUniqueViolation(error, name))) return error
  return changedMeanwhile()
}

async function addMembers(tx: Transaction, users: readonly (PlannedUser & { id: string })[]): Promise<void> {
  const joins = users.flatMap(({ id, joins }) => joins.map((project) => [project.id, id] as const))
  await tx.query(
    `INSERT INTO memberships (project_id, user_id, may_push)
     SELECT *, true FROM unnest($1::uuid[], $2::uuid[]) ON CONFLICT DO NOTHING`,
    [joins.map(([project]) => project), joins.map(([, user]) => user)],
  )
}

/** Each user has an event of their own, as if an admin had created or changed them one by one. */
async function recordImport(
  tx: Transaction,
  actor: Actor,
  created: readonly CreatedUser[],
  changed: readonly PlannedUser[],
): Promise<void> {
  const counts = { created: created.length, changed: changed.length }
  await recordAudit(tx, { actorId: actor.userId, action: 'users_imported', target: null, detail: counts })
  const events = [
    ...created.map(({ user_id, email, name, changes }) => ({
      action: 'user_created' satisfies AuditAction,
      target: user_id,
      detail: { email, name, invited: true, imported: changes },
    })),
    ...changed.map(({ user_id, changes }) => ({
      action: 'user_updated' satisfies AuditAction,
      target: user_id,
      detail: { imported: changes },
    })),
  ]
  await tx.query(
    `INSERT INTO audit_events (id, actor_id, action, target, detail)
     SELECT w.id, $1, w.action, w.target, w.detail FROM unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[])
            AS w (id, action, target, detail)`,
    [
      actor.userId,
      events.map(() => uuidv7()),
      events.map(({ action }) => action),
      events.map(({ target }) => target),
      events.map(({ detail }) => JSON.stringify(detail)),
    ],
  )
}
