import { uuidv7 } from 'uuidv7'
import type { Transaction } from '../database/transaction'
import { recordAudit } from './audit'
import type { Limits } from './limits'

interface Row {
  id: string
  submissions_per_minute: number | null
  max_active_jobs: number | null
}

/** What a submission needs to know of its project. */
export interface ChosenProject {
  id: string
  limits: Limits
}

/** The project that a config's `project_id` names for a user: their own, else one that is shared with them. */
export async function findProject(
  executor: Transaction,
  userId: string,
  slug: string,
): Promise<ChosenProject | null> {
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
  return rows[0] ? toChosen(rows[0]) : null
}

/** The project found, else a new one of the user's own. Many at once make one project. */
export async function findOrCreateProject(
  tx: Transaction,
  userId: string,
  slug: string,
): Promise<ChosenProject> {
  return (await findProject(tx, userId, slug)) ?? toChosen(await createOwn(tx, userId, slug))
}

function toChosen({ id, submissions_per_minute, max_active_jobs }: Row): ChosenProject {
  return { id, limits: { submissionsPerMinute: submissions_per_minute, maxActiveJobs: max_active_jobs } }
}

/** A conflict waits for the transaction that made the project first, and then finds it. */
async function createOwn(tx: Transaction, userId: string, slug: string): Promise<Row> {
  const { rows } = await tx.query<Row & { created: boolean; owner: string }>(
    `INSERT INTO projects (id, slug, owner_id) VALUES ($1, $2, $3)
     ON CONFLICT (owner_id, slug) DO UPDATE SET slug = excluded.slug
     RETURNING id, submissions_per_minute, max_active_jobs, xmax = 0 AS created,
               (SELECT handle FROM users WHERE id = $3) AS owner`,
    [uuidv7(), slug, userId],
  )
  const [row] = rows
  if (!row) throw new Error('PostgreSQL returned no row of an INSERT')
  if (row.created) {
    const target = `${row.owner}/${slug}`
    await recordAudit(tx, { actorId: userId, action: 'project_created', target, detail: { id: row.id } })
  }
  return row
}
