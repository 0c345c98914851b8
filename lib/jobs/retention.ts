import { database } from '../database/client'

/** Deletes what has served its time: idempotency keys after a day. */
export async function deleteExpired(): Promise<void> {
  await database().pool.query("DELETE FROM idempotency_keys WHERE created_at < now() - interval '1 day'")
}
