import { uuidv7 } from 'uuidv7'
import type { Transaction } from '../../database/transaction'
import { recordAudit } from '../audit'
import type { Limits } from '../limits'

interface Row {
  id: string
  submissions_per_minute: number | null
  max_active_jobs: number | null
}

/** What a submission needs to know of its project. */
interface ChosenProject {
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
  const found = (await findProject(tx, userId, slug)) ?? (await createOwn(tx, userId, slug))
  // Another transaction made it in between: a conflict waited for its end, so it is there now.
  const chosen = found ?? (await findProject(tx, userId, slug))
  if (!chosen) throw new Error('a project vanished as it was made')
  return chosen
}

function toChosen({ id, submissions_per_minute, max_active_jobs }: Row): ChosenProject {
  return { id, limits: { submissionsPerMinute: submissions_per_minute, maxActiveJobs: max_active_jobs } }
}

/** Null when the project exists. Never locks its row: jobs that are inserted meanwhile refer to it. */
async function createOwn(tx: Transaction, userId: string, slug: string): Promise<ChosenProject | null> {
  const { rows } = await tx.query<Row & { owner: string }>(
    `INSERT INTO projects (id, slug, owner_id) VALUES ($1, $2, $3) ON CONFLICT (owner_id, slug) DO NOTHING
     RETURNING id, submissions_per_minute, max_active_jobs, (SELECT handle FROM users WHERE id = $3) AS owner`,
    [uuidv7(), slug, userId],
  )
  const [row] = rows
  if (!row) return null
  const target = `${row.owner}/${slug}`
  await recordAudit(tx, { actorId: userId, action: 'project_created', target, detail: { id: row.id } })
  return toChosen(row)
}
