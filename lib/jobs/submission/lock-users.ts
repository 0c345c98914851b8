import type { Transaction } from '../../database/transaction'

/** Serializes the decisions about a user's submissions. The fixed order of the locks prevents deadlocks. */
export async function lockUsers(tx: Transaction, userIds: readonly string[]): Promise<void> {
  await tx.query({
    name: 'lock-users',
    text: 'SELECT 1 FROM users WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
    values: [userIds],
  })
}
