import type { Actor } from '../../access/actor'
import { recordAudit } from '../../access/audit'
import { requireOwnProject } from '../../access/projects/projects'
import { conflict } from '../../contract/errors'
import { transaction } from '../../database/transaction'
import { storage } from '../../storage/storage'
import { checkpointKey, lockRun, type Run } from './checkpoint-files'

/**
 * Deletes the checkpoints of a run. Those in the bucket are deleted now, those on a shared disk by the leader, which
 * has the disk.
 * @throws 404 or 403 unless the actor owns the project or is an admin, 409 if a job of the run has not ended.
 */
export async function deleteCheckpoints(actor: Actor, run: Run): Promise<void> {
  const objects = await transaction(async (tx) => {
    const project = await requireOwnProject(tx, actor, run.projectId)
    await lockRun(tx, run)
    const { rowCount } = await tx.query(
      'SELECT 1 FROM jobs WHERE project_id = $1 AND run_name = $2 AND ended_at IS NULL LIMIT 1',
      [run.projectId, run.name],
    )
    if (rowCount !== 0) {
      throw conflict(`A job of the run "${run.name}" has not ended. Cancel it, or wait for its end.`)
    }
    await tx.query(
      'UPDATE run_directories SET delete_requested_at = now() WHERE project_id = $1 AND run_name = $2',
      [run.projectId, run.name],
    )
    const { rows } = await tx.query<{ object: string }>(
      'DELETE FROM checkpoint_files WHERE project_id = $1 AND run_name = $2 RETURNING object',
      [run.projectId, run.name],
    )
    const target = `${project.owner}/${project.slug}/${run.name}`
    await recordAudit(tx, { actorId: actor.userId, action: 'checkpoints_deleted', target })
    return rows.map(({ object }) => object)
  })
  // The sweep removes what fails here.
  for (const object of objects) await storage().remove(checkpointKey(run, object))
}
