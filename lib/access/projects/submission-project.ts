import { uuidv7 } from 'uuidv7'
import { findRow, oneRow, type Transaction } from '../../database/transaction'
import { recordAudit } from '../audit'
import { type Limits, limitsOf } from '../limits'
import { lockOwnProjects, requireProjectAllowance } from './project-allowance'

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

/**
 * Finds the project, or creates it for the user. Concurrent calls create one project.
 * @throws 409 or 429 if the user has too many projects, or got too many in the last minute.
 */
export async function findOrCreateProject(
  tx: Transaction,
  userId: string,
  slug: string,
): Promise<SubmissionProject> {
  const found = await findProject(tx, userId, slug)
  if (found) return found
  await lockOwnProjects(tx, userId)
  // Another transaction that held the lock may have created it.
  const created = await findProject(tx, userId, slug)
  if (created) return created
  await requireProjectAllowance(tx, userId)
  return createOwn(tx, userId, slug)
}

/** Does not lock the project's row, because concurrently inserted jobs refer to it. */
async function createOwn(tx: Transaction, userId: string, slug: string): Promise<SubmissionProject> {
  const { owner, ...project } = await oneRow<SubmissionProject & { owner: string }>(
    tx,
    `INSERT INTO projects (id, slug, owner_id) VALUES ($1, $2, $3)
     RETURNING id, ${limitsOf('projects')}, (SELECT handle FROM users WHERE id = $3) AS owner`,
    [uuidv7(), slug, userId],
  )
  const target = `${owner}/${slug}`
  await recordAudit(tx, { actorId: userId, action: 'project_created', target, detail: { id: project.id } })
  return project
}
