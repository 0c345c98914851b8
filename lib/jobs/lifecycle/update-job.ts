import { type Actor, requireScope } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import type { UpdateJob } from '../../contract/job-queries'
import { channels } from '../../database/listen'
import { transaction } from '../../database/transaction'
import { findChangeableJob } from '../read/job-visibility'

/** Changes the note, the star or the tags of a job, also of one that has ended. What is left out keeps its value. */
export async function updateJob(actor: Actor, jobId: string, change: UpdateJob): Promise<void> {
  requireScope(actor, 'submit')
  const { id, userId } = await findChangeableJob(actor, jobId)
  const { note, starred, tags } = change
  await transaction(async (tx) => {
    await tx.query(
      `WITH changed AS (
         UPDATE jobs SET note = CASE WHEN $2 THEN $3 ELSE note END, starred = coalesce($4, starred),
                         tags = coalesce($5::text[], tags)
          WHERE id = $1)
       SELECT pg_notify('${channels.job}', $1::text)`,
      [id, note !== undefined, note || null, starred ?? null, tags ? [...new Set(tags)] : null],
    )
    if (userId === actor.userId) return
    await recordAudit(tx, {
      actorId: actor.userId,
      action: 'job_changed',
      target: id,
      detail: { keys: Object.keys(change) },
    })
  })
}
