import { type Actor, isAdmin } from '../../access/actor'
import { forbidden } from '../../contract/errors'
import type {
  AmountTerm,
  Comparison,
  MetricTerm,
  NotTerm,
  SearchTerm,
  WordTerm,
} from '../../contract/search/parse-search'
import { fromUploadStatus, type UploadStatus, uploadStatuses } from '../../contract/status'
import { database } from '../../database/client'
import { isManager } from './job-visibility'
import { amounts, hasEnded } from './sort-order'

/** Adds a value to a statement and returns its parameter. */
export type Bind = (value: unknown) => string

/** A condition of a list of jobs `j`. */
export interface Condition {
  /** Checks one job. */
  sql: string
  /** For a metric: SQL of the ids of all jobs that meet it, from an index. */
  ids?: (bind: Bind) => string
  /**
   * How an index has the jobs that meet it in the order of the list: `together` with others of its kind, or only `alone`.
   * Absent: no index does.
   */
  ordered?: 'together' | 'alone'
}

/** Translates the terms of a search. Null: no job can meet them. @throws 403 if somebody names another user and manages no project. */
export async function toConditions(
  actor: Actor,
  terms: readonly SearchTerm[],
  bind: Bind,
): Promise<Condition[] | null> {
  const conditions: Condition[] = []
  for (const term of terms) {
    if (isAnyUser(term)) continue
    if (term.key === 'not') {
      const others = await toExclusion(actor, term, bind)
      if (others !== null) conditions.push(others)
      continue
    }
    const condition = await toCondition(actor, term, bind)
    if (condition === null) return null
    conditions.push(condition)
  }
  return conditions
}

/** The jobs that do not meet a condition. Null: all jobs, because no job can meet it. */
async function toExclusion(actor: Actor, { term }: NotTerm, bind: Bind): Promise<Condition | null> {
  // An index finds the other statuses.
  if (term.key === 'status') {
    const others = uploadStatuses.filter((status) => !term.values.includes(status))
    return oneOf('j.status', others.flatMap(fromUploadStatus), bind, '"JobStatus"')
  }
  const condition = await toCondition(actor, term, bind)
  return condition && { sql: `(${condition.sql}) IS NOT TRUE` }
}

async function toCondition(
  actor: Actor,
  term: Exclude<SearchTerm, NotTerm>,
  bind: Bind,
): Promise<Condition | null> {
  switch (term.key) {
    case 'text':
      return { sql: toTextCondition(term.text, bind) }
    case 'status':
      return oneOf(
        'j.status',
        term.values.flatMap((value) => fromUploadStatus(value as UploadStatus)),
        bind,
        '"JobStatus"',
      )
    case 'tag':
      // The second condition allows the use of an index of the jobs with tags.
      return { sql: `j.tags && ${bind(term.values)}::text[] AND j.tags <> '{}'` }
    case 'is':
      return { sql: 'j.starred', ordered: 'alone' }
    case 'competition':
      return oneOf('j.competition_id', term.values, bind, 'text')
    case 'user':
      return toUsers(actor, term, bind)
    case 'project':
      return matchIds('j.project_id', 'SELECT id FROM projects WHERE slug = ANY ($1)', term.values, bind)
    case 'environment':
      return matchIds(
        'j.environment_id',
        'SELECT id FROM environments WHERE name = ANY ($1)',
        term.values,
        bind,
      )
    case 'metric':
      return toMetricCondition(term, bind)
    default:
      return toAmountCondition(term, bind)
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Words of a text that are searched in their order. With hundreds, PostgreSQL would need seconds for long notes. */
const phraseWords = 16

function toTextCondition(text: string, bind: Bind): string {
  const word = text.trim()
  if (uuid.test(word)) return `j.id = ${bind(word)}::uuid`
  const found = `j.search_words @@ words_begin(${bind(word)})`
  const words = word.match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length < 2) return found
  // The index has words without their places: `lr=0.1` would also find `lr=0.001 seed 1`.
  const phrase = `(^|[^[:alnum:]])${words.slice(0, phraseWords).join('[^[:alnum:]\n]+')}`
  return `${found} AND ${searchedText} ~* ${bind(phrase)}`
}

/** The same texts as in the trigger `set_search_words`, one on each line. */
const searchedText = `concat_ws(E'\\n', right(j.id::text, 8), j.name, j.competition_id, array_to_string(j.tags, E'\\n'), j.note)`

/** A single value allows the use of an index's prefix. */
function oneOf(column: string, values: readonly string[], bind: Bind, type: string): Condition {
  const [only] = values
  return values.length === 1
    ? { sql: `${column} = ${bind(only)}::${type}`, ordered: 'alone' }
    : { sql: `${column} = ANY (${bind(values)}::${type}[])` }
}

/** The ids are read first, because PostgreSQL chooses a good plan only for known values. */
async function matchIds(
  column: string,
  select: string,
  values: readonly string[],
  bind: Bind,
): Promise<Condition | null> {
  const { rows } = await database().pool.query<{ id: string }>(select, [values])
  const ids = rows.map(({ id }) => id)
  return ids.length === 0 ? null : oneOf(column, ids, bind, 'uuid')
}

/** `user:*` is for the jobs of all users that the actor may see. */
const isAnyUser = (term: SearchTerm) => term.key === 'user' && term.values.includes('*')

async function toUsers(actor: Actor, { values }: WordTerm, bind: Bind): Promise<Condition | null> {
  const handles = values.map((value) => value.toLowerCase())
  const namesOthers = handles.some((handle) => handle !== actor.handle.toLowerCase())
  if (namesOthers && !isAdmin(actor) && !(await isManager(actor)))
    throw forbidden(
      'Only admins and managers of projects can search the jobs of other users. Remove “user:” from the search.',
    )
  const users = await matchIds(
    'j.user_id',
    'SELECT id FROM users WHERE lower(handle) = ANY ($1)',
    handles,
    bind,
  )
  return users && { ...users, ordered: 'together' }
}

function toMetricCondition({ name, operator, value }: MetricTerm, bind: Bind): Condition {
  const limit = (bindTo: Bind) => `${operator} ${bindTo(value)}::float8`
  return {
    sql: `j.final_metrics <> '{}' AND (j.final_metrics->>${bind(name)}::text)::float8 ${limit(bind)}`,
    ids: (bindTo) =>
      `SELECT job_id AS id FROM job_metrics WHERE name = ${bindTo(name)} AND value ${limit(bindTo)}`,
  }
}

const mirrored = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '=': '=' } as const satisfies Record<
  Comparison,
  Comparison
>

function toAmountCondition({ key, operator, value }: AmountTerm, bind: Bind): Condition {
  // A younger job was submitted later.
  if (key === 'age')
    return {
      sql: `j.created_at ${mirrored[operator]} now() - make_interval(secs => ${bind(value)}::float8)`,
      ordered: 'together',
    }
  return { sql: `${hasEnded} AND ${amounts[key]} ${operator} ${bind(value)}::float8` }
}
