import { uuidv7 } from 'uuidv7'
import { defaultProject } from '../../contract/access/project-kinds'
import { forbidden, invalidField } from '../../contract/errors'
import { findRow, oneRow, type Transaction } from '../../database/transaction'
import type { Actor } from '../actor'
import { recordAudit } from '../audit'
import { type Limits, limitsOf } from '../limits'
import { describeRestriction, reachOf } from '../restriction'
import { lockOwnProjects, requireProjectAllowance } from './project-allowance'

/** Whose configs name a project, and which ones their token may use. */
export type Submitter = Pick<Actor, 'userId' | 'restriction'>

/** The properties of a project that a submission needs. */
interface SubmissionProject {
  id: string
  limits: Limits
  /** False: a submission or an upload created it, and no answer has said so yet. */
  announced: boolean
}

/**
 * SQL for the projects that configs of a user can mean, with their names, in the order that {@link meaningOrder} sorts by. A project
 * that shows nothing to others, because its member has agreed to nothing, never comes before the user's own.
 */
const meantProjects = (user: string, named: string) => `
  SELECT p.*, p.preferred_at AS chosen_at, CASE WHEN p.kind = 'private' THEN 2 ELSE 1 END AS place,
         p.created_at AS since, NULL::timestamptz AS joined_at
    FROM projects p WHERE p.owner_id = ${user} AND p.slug ${named}
  UNION ALL
  SELECT p.*, m.preferred_at, CASE WHEN m.agreed_at IS NULL THEN 3 ELSE 1 END,
         coalesce(m.agreed_at, p.created_at), coalesce(m.agreed_at, m.created_at)
    FROM memberships m JOIN projects p ON p.id = m.project_id
   WHERE m.user_id = ${user} AND p.slug ${named} AND p.owner_id <> ${user}`

/** What the user has answered, otherwise classes and teams, otherwise their own, otherwise what others share with them. */
const meaningOrder = 'chosen_at DESC NULLS LAST, place, since, id'

/**
 * Finds the project that a config's `project_id` means: see {@link meaningOrder}. A restricted token means those that it may use.
 * @throws 403 if it names another one.
 */
export async function findProject(
  executor: Transaction,
  { userId, restriction }: Submitter,
  slug: string,
): Promise<SubmissionProject | null> {
  const found = await findRow<SubmissionProject>(executor, {
    name: 'project-of-submission',
    text: `SELECT id, announced, ${limitsOf('found')} FROM (${meantProjects('$1', '= $2')}) found
           WHERE $3::uuid[] IS NULL OR id = ANY ($3) ORDER BY ${meaningOrder} LIMIT 1`,
    values: [userId, slug, reachOf(restriction)[0]],
  })
  if (found || !restriction?.projects) return found
  throw forbidden(
    `${describeRestriction(restriction)}. Write project_id: ${restriction.projects[0]?.slug}, or use another token.`,
  )
}

/** Which of a user's projects a name means. */
export interface Meaning {
  id: string
  /** Whether the user has several projects of this name, and has not said since they joined the last which one is meant. */
  asks: boolean
}

/** Reads which project each name means in a user's configs. */
export async function readMeanings(
  executor: Transaction,
  userId: string,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, Meaning>> {
  const { rows } = await executor.query<Meaning & { slug: string }>({
    name: 'meanings-of-names',
    text: `SELECT slug, (array_agg(id ORDER BY ${meaningOrder}))[1] AS id,
                  count(*) > 1 AND (max(chosen_at) IS NULL OR coalesce(max(joined_at) > max(chosen_at), false)) AS asks
             FROM (${meantProjects('$1', '= ANY ($2::text[])')}) found GROUP BY slug`,
    values: [userId, slugs],
  })
  return new Map(rows.map(({ slug, ...meaning }) => [slug, meaning]))
}

/** Returns true once after a submission or an upload created the project: the answer to the first submission says so. */
export async function announceProject(
  tx: Transaction,
  { id, announced }: SubmissionProject,
): Promise<boolean> {
  if (announced) return false
  const { rowCount } = await tx.query(
    'UPDATE projects SET announced = true WHERE id = $1 AND NOT announced',
    [id],
  )
  return rowCount === 1
}

/**
 * Finds the project, or creates it for the user. Concurrent calls create one project.
 * @throws 422 for a new one if the admin requires that projects exist; 409 or 429 if the user has too many projects, or got
 * too many in the last minute.
 */
export async function findOrCreateProject(
  tx: Transaction,
  submitter: Submitter,
  slug: string,
): Promise<SubmissionProject> {
  const { userId } = submitter
  const found = await findProject(tx, submitter, slug)
  if (found) return found
  if (submitter.restriction !== null && slug !== defaultProject)
    throw forbidden(
      `${describeRestriction(submitter.restriction)}, and there is no project "${slug}" that it may use. An agent creates no projects: use one that exists.`,
    )
  await lockOwnProjects(tx, userId)
  // Another transaction that held the lock may have created it.
  const created = await findProject(tx, submitter, slug)
  if (created) return created
  await requireMayCreate(tx, userId, slug)
  await requireProjectAllowance(tx, userId)
  return createOwn(tx, userId, slug)
}

/** How many names a refusal lists. */
const mostNamed = 10

/** @throws 422 if the policy requires that projects exist. */
async function requireMayCreate(tx: Transaction, userId: string, slug: string): Promise<void> {
  const { mustExist } = await oneRow<{ mustExist: boolean }>(
    tx,
    'SELECT require_existing_projects AS "mustExist" FROM policies',
  )
  if (!mustExist) return
  const { handle, projects, admins } = await oneRow<{ handle: string; projects: string[]; admins: string[] }>(
    tx,
    `SELECT handle, ARRAY(SELECT DISTINCT slug FROM (${meantProjects('$1', 'IS NOT NULL')}) found ORDER BY slug) AS projects,
            ARRAY(SELECT handle FROM users WHERE role = 'admin' AND disabled_at IS NULL ORDER BY handle) AS admins
       FROM users WHERE id = $1`,
    [userId],
  )
  const has =
    projects.length > 0 ? `The projects of "${handle}" are: ${listSome(projects)}` : 'They have none'
  const whom = admins.length > 0 ? `: ${listSome(admins)}` : ''
  throw invalidField(
    'project_id',
    `"${handle}" has no project "${slug}", and on this server a submission creates none. ${has}. Use a project that exists, create this one on the page Projects, or ask an admin${whom}.`,
  )
}

function listSome(names: readonly string[]): string {
  const rest = names.length - mostNamed
  return names.slice(0, mostNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/** Does not lock the project's row, because concurrently inserted jobs refer to it. */
async function createOwn(tx: Transaction, userId: string, slug: string): Promise<SubmissionProject> {
  const { owner, ...project } = await oneRow<SubmissionProject & { owner: string }>(
    tx,
    `INSERT INTO projects (id, slug, owner_id, announced) VALUES ($1, $2, $3, false)
     RETURNING id, announced, ${limitsOf('projects')}, (SELECT handle FROM users WHERE id = $3) AS owner`,
    [uuidv7(), slug, userId],
  )
  const target = `${owner}/${slug}`
  await recordAudit(tx, { actorId: userId, action: 'project_created', target, detail: { id: project.id } })
  return project
}
