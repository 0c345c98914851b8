import type { z } from 'zod'
import type { Storage, StoredItem, storedItemsQuerySchema } from '../../contract/access/storage'
import { database } from '../../database/client'
import { datesToText, type WithDates } from '../../database/dates'
import { type Actor, requireAdmin } from '../actor'
import { findUser, toUser } from '../users/user-rows'

/** SQL: whether a job with this alias has not ended, or its result is not stored yet. */
const live = (job: string) => `(${job}.ended_at IS NULL OR NOT ${job}.result_stored)`

const jobs = `
  SELECT 'job' AS kind, j.id::text, j.name, p.id AS project, p.slug AS project_id,
         (coalesce(octet_length(c.content), 0) + coalesce(f.bytes, 0) + coalesce(a.bytes, 0))::int8 AS bytes,
         j.created_at, ${live('j')} AS in_use, false AS deleting
    FROM jobs j JOIN projects p ON p.id = j.project_id LEFT JOIN programs c ON c.hash = j.program_hash
    LEFT JOIN result_files f ON f.job_id = j.id
    LEFT JOIN (SELECT x.job_id, sum(coalesce(x.stored_bytes, x.bytes)) AS bytes
                 FROM (SELECT job_id, bytes, stored_bytes FROM artifacts
                       UNION ALL SELECT job_id, bytes, stored_bytes FROM working_files) x
                 JOIN jobs o ON o.id = x.job_id WHERE o.user_id = $1 GROUP BY 1) a ON a.job_id = j.id
   WHERE j.user_id = $1`

const archives = `
  SELECT 'archive', a.id::text,
         (SELECT s.name || '@' || s.version FROM snapshots s WHERE s.archive_id = a.id ORDER BY s.name, s.version DESC LIMIT 1),
         p.id, p.slug, a.bytes + a.manifest_bytes, a.created_at,
         EXISTS (SELECT 1 FROM jobs j WHERE j.archive_id = a.id AND j.ended_at IS NULL), false
    FROM archives a JOIN projects p ON p.id = a.project_id WHERE p.owner_id = $1`

const checkpoints = `
  SELECT 'checkpoints', r.id::text, r.name, p.id, p.slug, sum(f.bytes)::int8, min(f.at),
         EXISTS (SELECT 1 FROM jobs j WHERE j.named_run_id = r.id AND j.ended_at IS NULL),
         bool_or(f.deleting)
    FROM (SELECT run_id, bytes, stored_at AS at, false AS deleting FROM checkpoint_files
          UNION ALL
          SELECT run_id, bytes, measured_at, delete_requested_at IS NOT NULL FROM run_directories) f
    JOIN runs r ON r.id = f.run_id JOIN projects p ON p.id = r.project_id
   WHERE coalesce(r.user_id, p.owner_id) = $1 GROUP BY r.id, p.id`

/** Reads what the actor, or for an admin any user, has stored, and the largest things that can be deleted. */
export async function readStorage(
  actor: Actor,
  { user_id = actor.handle, limit }: z.output<typeof storedItemsQuerySchema>,
): Promise<Storage> {
  if (user_id.toLowerCase() !== actor.handle.toLowerCase()) requireAdmin(actor)
  const user = await findUser(database().pool, user_id)
  const { rows } = await database().pool.query<WithDates<StoredItem, 'created_at'>>(
    `SELECT * FROM (${jobs} UNION ALL ${archives} UNION ALL ${checkpoints}) items
      WHERE bytes > 0 ORDER BY bytes DESC, created_at, id LIMIT $2`,
    [user.id, limit],
  )
  return { storage: toUser(user).storage, items: rows.map(datesToText) }
}
