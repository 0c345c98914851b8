import { oneRow, type Transaction } from '../../database/transaction'
import type { Bind, Condition } from './search-conditions'
import type { Order } from './sort-order'

/** Which jobs a list has. */
export interface JobQuery {
  /** Conditions of the list itself. */
  scope: string[]
  conditions: readonly Condition[]
  /** The parameters of both. */
  values: readonly unknown[]
}

/** Which of these jobs are read, and in which order. */
interface Wanted {
  order: Order
  limit: number
  values: unknown[]
  /** False: any of the jobs, which costs less if many match. */
  sorted: boolean
}

/** Runs a statement that returns ids and keys of jobs, with the `values`, and reads the rows of these jobs. */
type Select<Row> = (jobs: string) => Promise<Row[]>

/** Maximum number of jobs that are examined one by one in the order of the list: within some milliseconds. */
const walkedJobs = 5_000

/** Maximum number of jobs that are found by the indexes of conditions, and checked and sorted: within some milliseconds. */
const foundJobs = 5_000

/**
 * Finds jobs, at most `limit`. Where an index has the jobs in the order of the list, reading ends with the page. Otherwise, if few jobs
 * meet the conditions, these are found by the indexes of the conditions, and sorted. If many do, the page is soon full with the next jobs
 * of the list that meet them. PostgreSQL's own choice between both ways was often wrong, and then it read all jobs.
 * @param tx an `indexedTransaction`
 */
export async function findJobs<Row>(
  tx: Transaction,
  { scope, conditions }: JobQuery,
  { order, limit, values, sorted }: Wanted,
  select: Select<Row>,
): Promise<Row[]> {
  const { walk, find, direction, newest } = order
  const inOrderOfList = (rows: number) => `ORDER BY key ${direction}, id ${direction} LIMIT ${rows}`

  const alone = conditions.find(({ ordered }) => ordered === 'alone')
  const isInOrder = (condition: Condition) =>
    newest && (condition === alone || condition.ordered === 'together')
  const inOrder = [...(newest ? scope : []), ...conditions.filter(isInOrder).map(({ sql }) => sql)]
  const others = [
    ...(newest ? [] : scope),
    ...conditions.filter((condition) => !isInOrder(condition)).map(({ sql }) => sql),
  ]
  const next = (columns: string) =>
    `SELECT ${columns}, ${walk.key} AS key FROM ${walk.from} ${whereOf([...walk.where, ...inOrder])}`
  if (others.length === 0) return select(`${next('j.id')} ${inOrderOfList(limit)}`)

  const every = [...find.where, ...scope, ...conditions.map(({ sql }) => sql)]
  const matching = (more: string[] = []) =>
    `SELECT j.id, ${find.key} AS key FROM ${find.from} ${whereOf([...every, ...more])}`
  // Without MATERIALIZED, PostgreSQL may look for the rows in the order of the list.
  const thenSort = (jobs: string) =>
    sorted
      ? `found AS MATERIALIZED (${jobs}) SELECT id, key FROM found ${inOrderOfList(limit)}`
      : `found AS (${jobs} LIMIT ${limit}) SELECT id, key FROM found`
  const fewest = await findFewest(tx, conditions)
  const selectFewest = ({ ids, count }: Counted) => {
    // The limit tells PostgreSQL how many there are. Some may have come since they were counted.
    const few = `${ids((value) => `$${values.push(value)}`)} LIMIT ${2 * count + 10}`
    const jobs = matching(['j.id IN (SELECT id FROM few)'])
    return select(`WITH few AS MATERIALIZED (${few}), ${thenSort(jobs)}`)
  }
  if (fewest && fewest.count <= foundJobs) return selectFewest(fewest)
  const [inList, matched] = await estimateRows(tx, [next('j.id'), matching()], values)
  // Half a page is enough: the estimates are rather too low, and a full page ends the reading early.
  if ((walkedJobs * matched) / inList > limit / 2) {
    const walked = `SELECT j.id, j.key FROM (${next('j.*')} ${inOrderOfList(walkedJobs)}) j ${whereOf(others)} ${inOrderOfList(limit)}`
    const rows = await select(walked)
    if (rows.length === limit) return rows
  }
  const onlyMetrics = conditions.every(({ ids }) => ids)
  if (fewest && onlyMetrics && fewest.count < countedJobs) return selectFewest(fewest)
  // PostgreSQL underestimates what it costs to read a whole index in another order. Bitmaps read each page of the table once.
  await tx.query('SET LOCAL enable_indexscan = off')
  const rows = await select(`WITH ${thenSort(matching())}`)
  await tx.query('SET LOCAL enable_indexscan = on')
  return rows
}

/** PostgreSQL's estimates of the numbers of rows of two queries. */
async function estimateRows(
  tx: Transaction,
  [first, second]: [string, string],
  values: unknown[],
): Promise<[number, number]> {
  const { rows } = await tx.query<{ 'QUERY PLAN': [{ Plan: { Plans: { 'Plan Rows': number }[] } }] }>(
    `EXPLAIN (FORMAT JSON) ${first} UNION ALL ${second}`,
    values,
  )
  const [one, other] = rows[0]?.['QUERY PLAN'][0].Plan.Plans ?? []
  return [one?.['Plan Rows'] ?? 0, other?.['Plan Rows'] ?? 0]
}

/** A condition on a metric, and how many jobs meet it, up to a limit. */
interface Counted {
  ids: NonNullable<Condition['ids']>
  count: number
}

/** Maximum number of jobs that are counted for a condition on a metric, by the index alone: within some milliseconds. */
const countedJobs = 4 * foundJobs

/**
 * Finds the condition on a metric that the fewest jobs meet, with the SQL of their ids. PostgreSQL's estimates for metrics are often
 * wrong by a factor of a hundred, so the jobs are counted up to a limit.
 */
async function findFewest(tx: Transaction, conditions: readonly Condition[]): Promise<Counted | undefined> {
  const metrics = conditions.flatMap(({ ids }) => ids ?? [])
  if (metrics.length === 0) return undefined
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const counts = metrics.map(
    (ids) => `(SELECT count(*)::int FROM (${ids(bind)} LIMIT ${countedJobs}) AS counted)`,
  )
  const { counted } = await oneRow<{ counted: number[] }>(tx, {
    text: `SELECT ARRAY[${counts.join(', ')}] AS counted`,
    values,
  })
  return metrics
    .map((ids, place) => ({ ids, count: counted[place] ?? 0 }))
    .sort((a, b) => a.count - b.count)[0]
}

const whereOf = (conditions: string[]) => (conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '')
