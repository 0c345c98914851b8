import { uuidv7 } from 'uuidv7'
import type { Transaction } from '../../database/transaction'
import { recordAudit } from '../audit'
import type { Limits } from '../limits'

interface Row {
  id: string
  submissions_per_minute: number | null
  max_active_jobs: number | null
}

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
  const { rows } = await executor.query<Row>({
    name: 'project-of-submission',
    text: `SELECT id, submissions_per_minute, max_active_jobs FROM (
             SELECT p.*, true AS own FROM projects p WHERE p.owner_id = $1 AND p.slug = $2
             UNION ALL
             SELECT p.*, false FROM memberships m JOIN projects p ON p.id = m.project_id
              WHERE m.user_id = $1 AND p.slug = $2) found
           ORDER BY own DESC, created_at, id LIMIT 1`,
    values: [userId, slug],
  })
  return rows[0] ? toSubmissionProject(rows[0]) : null
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

function toSubmissionProject({ id, submissions_per_minute, max_active_jobs }: Row): SubmissionProject {
  return { id, limits: { submissionsPerMinute: submissions_per_minute, maxActiveJobs: max_active_jobs } }
}

/** Returns null if the project exists. Does not lock its row, because concurrently inserted jobs refer to it. */
async function createOwn(tx: Transaction, userId: string, slug: string): Promise<SubmissionProject | null> {
  const { rows } = await tx.query<Row & { owner: string }>(
    `INSERT INTO projects (id, slug, owner_id) VALUES ($1, $2, $3) ON CONFLICT (owner_id, slug) DO NOTHING
     RETURNING id, submissions_per_minute, max_active_jobs, (SELECT handle FROM users WHERE id = $3) AS owner`,
    [uuidv7(), slug, userId],
  )
  const [row] = rows
  if (!row) return null
  const target = `${row.owner}/${slug}`
  await recordAudit(tx, { actorId: userId, action: 'project_created', target, detail: { id: row.id } })
  return toSubmissionProject(row)
}
