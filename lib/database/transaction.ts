import type pg from 'pg'
import { database } from './client'

export type Transaction = Pick<pg.PoolClient, 'query'>

/**
 * Runs `work` in one READ COMMITTED transaction on a connection of its own. An error rolls back and is rethrown.
 * Invariants rest on row locks and guarded updates, not on the isolation level.
 */
export async function transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await database().pool.connect()
  let broken: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work(client)
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
