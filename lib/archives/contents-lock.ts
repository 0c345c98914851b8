import type { Transaction } from '../database/transaction'

/** Any number; the same one everywhere. */
const lockClass = 7_423_116

/**
 * Held to the end of the transaction by whoever relies on a project's contents being there, or adds to them. Only the
 * one who sweeps takes them away, and takes the same lock alone.
 */
export async function shareContents(tx: Transaction, projectId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [lockClass, projectId])
}

export async function holdContentsAlone(tx: Transaction, projectId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockClass, projectId])
}
