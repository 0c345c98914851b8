import type pg from 'pg'
import { database } from './client'

export type Transaction = Pick<pg.PoolClient, 'query'>

/**
 * Runs `work` in one READ COMMITTED transaction on a connection of its own. An error rolls back and is rethrown.
 * Invariants rest on row locks and guarded updates, not on the isolation level.
 */
export function transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  return runTransaction('BEGIN', work)
}

/** Ends a transaction whose changes are not wanted. */
class Undo<T> extends Error {
  constructor(readonly result: T) {
    super('The transaction is undone.')
  }
}

/** Runs `work` as {@link transaction}, and undoes what it changes. */
export async function undoneTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await transaction(async (tx) => {
      throw new Undo(await work(tx))
    })
  } catch (error) {
    if (error instanceof Undo) return error.result
    throw error
  }
}

/**
 * As {@link transaction}, for prepared statements that find their rows by ids. PostgreSQL plans them once on each connection.
 * Otherwise it plans the first five executions on each connection for their values, which took 15 ms for the claim of a
 * task and 25 ms for the detail of a job, and under 1 ms with the plan.
 */
export function keyedTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  return runTransaction('BEGIN; SET LOCAL plan_cache_mode = force_generic_plan', work)
}

/**
 * As {@link transaction}, for reads of a few rows of a large table by its indexes. PostgreSQL's estimates for texts and
 * amounts are often wrong by a factor of ten, and then it reads the whole table, compiles the query, or starts processes. Its cost of a
 * random page is for rotating disks: an index whose order follows the table seemed cheaper than the right one.
 */
export function indexedTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  return runTransaction(
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL enable_seqscan = off; SET LOCAL random_page_cost = 1.1; SET LOCAL jit = off; SET LOCAL max_parallel_workers_per_gather = 0',
    work,
  )
}

async function runTransaction<T>(begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await database().pool.connect()
  let broken: Error | undefined
  try {
    // Sent together with the first statement of the work.
    const begun = client.query(begin)
    // If it fails, so does the work, because the connection is broken.
    begun.catch(() => {})
    const result = await work(client)
    await begun
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch((rollback: Error) => {
      broken = rollback
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/**
 * Waits for statements of a transaction that are sent at once, in one round trip. Throws the first error only when all have
 * ended, so that none of them uses the connection after the transaction.
 */
export async function sendTogether<T extends readonly unknown[]>(
  statements: {
    readonly [K in keyof T]: Promise<T[K]>
  },
): Promise<T> {
  await Promise.allSettled(statements)
  return (await Promise.all(statements)) as unknown as T
}

/** Runs a query that returns at most one row. */
export async function findRow<Row extends pg.QueryResultRow>(
  executor: Transaction,
  query: string | pg.QueryConfig,
  values?: unknown[],
): Promise<Row | null> {
  const { rows } = await executor.query<Row>(query, values)
  return rows[0] ?? null
}

/** Runs a query that always returns one row, such as an INSERT with RETURNING or an aggregate. */
export async function oneRow<Row extends pg.QueryResultRow>(
  executor: Transaction,
  query: string | pg.QueryConfig,
  values?: unknown[],
): Promise<Row> {
  const row = await findRow<Row>(executor, query, values)
  if (!row) throw new Error('PostgreSQL returned no row for a query that always has one.')
  return row
}

/** True for PostgreSQL's unique_violation on the given constraint or index. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return violates(error, '23505', constraint)
}

/** True for PostgreSQL's foreign_key_violation on the given constraint: the referenced row does not exist. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  return violates(error, '23503', constraint)
}

function violates(error: unknown, code: string, constraint: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === code &&
    'constraint' in error &&
    error.constraint === constraint
  )
}
