import { isOfCompetition, isServiceAccount } from '../access/of-competition'
import type { Role } from '../contract/access/roles'
import type { Transaction } from '../database/transaction'
import { type CheckedRow, checkRow } from './check-row'
import type { ImportedUser, ImportProblem } from './contract'
import { parseUserCsv } from './parse-user-csv'

/** A user that has the user id or the e-mail address of a row. */
interface KnownUser {
  id: string
  handle: string
  email: string | null
  name: string | null
  role: Role
  /** The account of a competition, which nobody signs in to. */
  is_service: boolean
  max_active_jobs: number | null
  max_priority: number | null
  /** Ids of the projects that the user owns or is a member of. */
  projects: string[]
}

interface KnownProject {
  id: string
  slug: string
  owner: string
}

/** What the import does with one row. */
export interface PlannedUser extends Omit<ImportedUser, 'changes'> {
  row: CheckedRow
  /** Null: a new user. */
  id: string | null
  /** The projects that the user joins. */
  joins: KnownProject[]
  changes: string[]
}

export interface ImportPlan {
  users: PlannedUser[]
  problems: ImportProblem[]
}

/**
 * Decides for each row of a file what an import does. Writes nothing.
 * @param lock keeps the users of the file as they are until the transaction ends
 */
export async function planImport(
  tx: Transaction,
  csv: string,
  { lock }: { lock: boolean },
): Promise<ImportPlan> {
  const parsed = parseUserCsv(csv)
  const problems = [...parsed.problems]
  const rows: CheckedRow[] = []
  for (const row of parsed.rows) {
    const checked = checkRow(row)
    if ('row' in checked) rows.push(checked.row)
    else problems.push(...checked.problems)
  }
  problems.push(...findRepeated(rows))
  const [known, projects] = [await readKnownUsers(tx, rows, lock), await readKnownProjects(tx, rows)]
  const users: PlannedUser[] = []
  const lines = new Map<string, number>()
  for (const row of rows) {
    const planned = planRow(row, known, projects)
    if ('problem' in planned) {
      problems.push({ line: row.line, ...planned.problem })
      continue
    }
    const { id, user_id, line } = planned
    const first = id === null ? undefined : lines.get(id)
    if (first !== undefined)
      problems.push({ line, column: null, message: `The user ${user_id} is in line ${first} already.` })
    else if (id !== null) lines.set(id, line)
    users.push(planned)
  }
  problems.sort((a, b) => a.line - b.line)
  return { users, problems }
}

function findRepeated(rows: readonly CheckedRow[]): ImportProblem[] {
  const problems: ImportProblem[] = []
  for (const column of ['user_id', 'email'] as const) {
    const lines = new Map<string, number>()
    for (const { line, [column]: value } of rows) {
      if (value === undefined) continue
      const first = lines.get(value.toLowerCase())
      if (first === undefined) lines.set(value.toLowerCase(), line)
      else problems.push({ line, column, message: `“${value.slice(0, 40)}” is in line ${first} already.` })
    }
  }
  return problems
}

interface KnownUsers {
  byHandle: Map<string, KnownUser>
  byEmail: Map<string, KnownUser>
}

async function readKnownUsers(
  tx: Transaction,
  rows: readonly CheckedRow[],
  lock: boolean,
): Promise<KnownUsers> {
  const { rows: found } = await tx.query<KnownUser>(
    `SELECT u.id, u.handle, u.email, u.name, u.role, ${isServiceAccount('u.id')} AS is_service, u.max_active_jobs, (u.job_limits->>'max_priority')::int AS max_priority,
            ARRAY(SELECT m.project_id FROM memberships m WHERE m.user_id = u.id
                  UNION SELECT p.id FROM projects p WHERE p.owner_id = u.id)::text[] AS projects
       FROM users u WHERE lower(u.handle) = ANY ($1::text[]) OR lower(u.email) = ANY ($2::text[])
       ORDER BY u.id ${lock ? 'FOR NO KEY UPDATE' : ''}`,
    [
      rows.map(({ user_id }) => user_id.toLowerCase()),
      rows.flatMap(({ email }) => (email === undefined ? [] : [email.toLowerCase()])),
    ],
  )
  return {
    byHandle: new Map(found.map((user) => [user.handle.toLowerCase(), user])),
    byEmail: new Map(
      found.flatMap((user) => (user.email === null ? [] : [[user.email.toLowerCase(), user]])),
    ),
  }
}

async function readKnownProjects(
  tx: Transaction,
  rows: readonly CheckedRow[],
): Promise<Map<string, KnownProject[]>> {
  const names = new Set(rows.flatMap(({ projects = [] }) => projects))
  const slugs = [...names].map((name) => name.slice(name.indexOf('/') + 1))
  const { rows: found } = await tx.query<KnownProject>(
    `SELECT p.id, p.slug, u.handle AS owner FROM projects p JOIN users u ON u.id = p.owner_id
      WHERE p.slug = ANY ($1::text[]) AND NOT ${isOfCompetition('p.id')} ORDER BY p.created_at, p.id`,
    [slugs],
  )
  const byName = new Map<string, KnownProject[]>()
  for (const project of found) {
    for (const name of [project.slug, `${project.owner}/${project.slug}`]) {
      const same = byName.get(name)
      if (same) same.push(project)
      else byName.set(name, [project])
    }
  }
  return byName
}

type Problem = { problem: { column: string | null; message: string } }
const refuse = (column: string, message: string): Problem => ({ problem: { column, message } })

function planRow(
  row: CheckedRow,
  { byHandle, byEmail }: KnownUsers,
  projects: ReadonlyMap<string, KnownProject[]>,
): PlannedUser | Problem {
  const named = byHandle.get(row.user_id.toLowerCase())
  const mailed = row.email === undefined ? undefined : byEmail.get(row.email.toLowerCase())
  // Somebody may have chosen this user id, and would get the account that belongs to the address.
  if (named && !mailed && row.derived)
    return refuse(
      'email',
      `The user id ${named.handle}, the first part of “${row.email}”, belongs to a user without this address. Add the column user_id.`,
    )
  if (mailed && named && mailed.id !== named.id && !row.derived)
    return refuse('email', `“${row.email}” belongs to the user ${mailed.handle}.`)
  const user = (row.derived ? mailed : (named ?? mailed)) ?? null
  if (user?.is_service)
    return refuse('user_id', `${user.handle} is the account of a competition. Choose another user id.`)
  if (user?.role === 'admin' && row.role === 'researcher')
    return refuse('role', `${user.handle} is an admin. Change the role of admins under Users.`)
  const joins: KnownProject[] = []
  for (const name of row.projects ?? []) {
    const [project, another] = projects.get(name) ?? []
    if (!project) return refuse('projects', `There is no project “${name.slice(0, 40)}”. Create it first.`)
    if (another)
      return refuse(
        'projects',
        `Several projects are named “${name}”. Write the owner too, such as ${project.owner}/${name}.`,
      )
    if (!user?.projects.includes(project.id)) joins.push(project)
  }
  const changes = describeChanges(row, user, joins)
  const action = user === null ? 'create' : changes.length === 0 ? 'unchanged' : 'change'
  const shown = {
    user_id: user?.handle ?? row.user_id,
    email: row.email ?? user?.email ?? null,
    name: row.name ?? user?.name ?? null,
  }
  return { line: row.line, ...shown, action, row, id: user?.id ?? null, joins, changes }
}

/** What the import sets, in words. An empty cell changes nothing. */
function describeChanges(row: CheckedRow, user: KnownUser | null, joins: readonly KnownProject[]): string[] {
  const changes: string[] = []
  for (const key of ['email', 'name', 'role', 'max_active_jobs', 'max_priority'] as const) {
    const [value, before] = [row[key], user?.[key] ?? null]
    if (value === undefined || value === before) continue
    // A new user's address and name have columns of their own.
    if (user === null && (key === 'email' || key === 'name')) continue
    changes.push(before === null ? `${key}: ${value}` : `${key}: ${before} → ${value}`)
  }
  return [...changes, ...joins.map(({ owner, slug }) => `joins ${owner}/${slug}`)]
}
