import { uuidv7 } from 'uuidv7'
import { findRow, type Transaction } from '../../database/transaction'
import { recordAudit } from '../audit'
import { type Limits, limitsOf } from '../limits'

/** The properties of a project that a submission needs. */
interface SubmissionProject {
  id: string
  limits: Limits
}

/** Finds the project of a config's `project_id`: the user's own, otherwise a shared one. */
export async function findProject(
  executor: Transaction,
  userId: string,
  slug: string,
): Promise<SubmissionProject | null> {
  return findRow<SubmissionProject>(executor, {
    name: 'project-of-submission',
    text: `SELECT id, ${limitsOf('found')} FROM (
             SELECT p.*, true AS own FROM projects p WHERE p.owner_id = $1 AND p.slug = $2
             UNION ALL
             SELECT p.*, false FROM memberships m JOIN projects p ON p.id = m.project_id
              WHERE m.user_id = $1 AND p.slug = $2) found
           ORDER BY own DESC, created_at, id LIMIT 1`,
    values: [userId, slug],
  })
}

/** Finds the project, or creates it for the user. Concurrent calls create one project. */
export async function findOrCreateProject(
  tx: Transaction,
  userId: string,
  slug: string,
): Promise<SubmissionProject> {
  const found = (await findProject(tx, userId, slug)) ?? (await createOwn(tx, userId, slug))
  // The insert waited for another transaction that created the project, so it exists now.
  const chosen = found ?? (await findProject(tx, userId, slug))
  if (!chosen) throw new Error('The project disappeared during the submission. Submit again.')
  return chosen
}

/** Returns null if the project exists. Does not lock its row, because concurrently inserted jobs refer to it. */
async function createOwn(tx: Transaction, userId: string, slug: string): Promise<SubmissionProject | null> {
  const row = await findRow<SubmissionProject & { owner: string }>(
    tx,
    `INSERT INTO projects (id, slug, owner_id) VALUES ($1, $2, $3) ON CONFLICT (owner_id, slug) DO NOTHING
     RETURNING id, ${limitsOf('projects')}, (SELECT handle FROM users WHERE id = $3) AS owner`,
    [uuidv7(), slug, userId],
  )
  if (!row) return null
  const { owner, ...project } = row
  const target = `${owner}/${slug}`
  await recordAudit(tx, { actorId: userId, action: 'project_created', target, detail: { id: row.id } })
  return project
}
