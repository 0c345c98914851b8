import { database } from '../../database/client'
import { publishCandidates } from '../placement/direct-dispatch'

/** A leader confirms its line every second; one that is confirmed once is good for long here. */
export async function announce(line: readonly string[]): Promise<void> {
  await publishCandidates(line)
  await database().pool.query(`UPDATE next_in_line SET planned_at = now() + interval '1 hour'`)
}
