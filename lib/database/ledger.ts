import { database } from './client'
import { transaction } from './transaction'

/** A table of changes, written by triggers. The sum of a key's changes is its count. */
export interface Ledger {
  table: string
  /** The columns of the key. */
  keys: readonly string[]
  /** The column of the change. */
  amount: string
  /** A query that counts everything again: the keys, then the amount. */
  count: string
}

/**
 * Adds up the changes, so that reading a sum stays cheap. One statement: a concurrent reader sees the changes or their
 * sum.
 */
export async function compactLedger({ table, keys, amount }: Ledger): Promise<void> {
  const list = keys.join(', ')
  const isSame = keys.map((key) => `c.${key} IS NOT DISTINCT FROM s.${key}`).join(' AND ')
  await database().pool.query(
    `WITH several AS (
       SELECT ${list} FROM ${table} GROUP BY ${list} HAVING count(*) > 1
     ), gone AS (
       DELETE FROM ${table} c USING several s WHERE ${isSame} RETURNING ${keys.map((key) => `c.${key}`).join(', ')}, c.${amount}
     )
     INSERT INTO ${table} (${list}, ${amount})
     SELECT ${list}, sum(${amount}) FROM gone GROUP BY ${list} HAVING sum(${amount}) <> 0`,
  )
}

/**
 * Counts everything again, which corrects what somebody changed by hand in the database. In one snapshot a row and its
 * change are both visible, or neither is.
 */
export async function recountLedger({ table, keys, amount, count }: Ledger): Promise<void> {
  await transaction(async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    await tx.query(`DELETE FROM ${table}`)
    await tx.query(`INSERT INTO ${table} (${keys.join(', ')}, ${amount}) ${count}`)
  })
}
