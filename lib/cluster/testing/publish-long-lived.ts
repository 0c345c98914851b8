import { database } from '../../database/client'
import { publishCandidates } from '../placement/direct-dispatch'

/** Publishes candidates that stay valid for the whole test. A leader would confirm them every second. */
export async function publishLongLived(jobIds: readonly string[]): Promise<void> {
  await publishCandidates(jobIds)
  await database().pool.query(`UPDATE next_in_line SET planned_at = now() + interval '1 hour'`)
}
