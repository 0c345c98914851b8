import type { Transaction } from '../database/transaction'

/** An arbitrary constant; every process must use the same one. */
const lockClass = 7_423_116

/**
 * Takes a shared lock until the transaction ends. Required to add contents to a project or to rely on existing ones.
 * The sweeper, which deletes contents, takes the same lock exclusively.
 */
export async function lockContentsShared(tx: Transaction, projectId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [lockClass, projectId])
}

export async function lockContentsExclusively(tx: Transaction, projectId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockClass, projectId])
}
