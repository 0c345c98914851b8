import { z } from 'zod'
import { type Actor, isAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import type { Run } from '../cluster/tasks/tasks'
import { conflict, notFound } from '../contract/errors'
import { findRow, type Transaction, transaction } from '../database/transaction'
import { storage } from '../storage/storage'
import { checkpointKey, lockRun } from './checkpoint-files'

interface GivenRun {
  projectId: string
  /** Its id, or its name if it belongs to the actor or to the project. */
  run: string
}

/**
 * Deletes the checkpoints of a run. Those in the bucket are deleted now, those on a shared disk by the leader, which
 * has the disk.
 * @throws 404 unless the run belongs to the actor, or to a project that the actor owns; the owner of a project may name a run whose
 * user has left, and an admin any run, by its id. 409 if a job of the run has not ended.
 */
export async function deleteCheckpoints(actor: Actor, given: GivenRun): Promise<void> {
  const { run, objects } = await transaction(async (tx) => {
    const run = await findOwnRun(tx, actor, given)
    await lockRun(tx, run)
    const { rowCount } = await tx.query(
      'SELECT 1 FROM jobs WHERE named_run_id = $1 AND ended_at IS NULL LIMIT 1',
      [run.id],
    )
    if (rowCount !== 0) {
      throw conflict(`A job of the run "${run.name}" has not ended. Cancel it, or wait for its end.`)
    }
    const { rowCount: requested } = await tx.query(
      'UPDATE run_directories SET delete_requested_at = now() WHERE run_id = $1 AND delete_requested_at IS NULL',
      [run.id],
    )
    const { rows } = await tx.query<{ object: string }>(
      'DELETE FROM checkpoint_files WHERE run_id = $1 RETURNING object',
      [run.id],
    )
    if (requested === 0 && rows.length === 0) return { run, objects: [] }
    const target = `${run.owner}/${run.slug}/${run.name}`
    const detail = { run: run.id, user: run.user }
    await recordAudit(tx, { actorId: actor.userId, action: 'checkpoints_deleted', target, detail })
    return { run, objects: rows.map(({ object }) => object) }
  })
  // The sweep removes what fails here.
  for (const object of objects) await storage().remove(checkpointKey(run, object))
}

interface FoundRun extends Pick<Run, 'id' | 'projectId' | 'directory'> {
  name: string
  /** The owner of the project. */
  owner: string
  slug: string
  /** To whom the run belongs; null: to the project. */
  user: string | null
}

async function findOwnRun(tx: Transaction, actor: Actor, { projectId, run }: GivenRun): Promise<FoundRun> {
  const found = z.uuid().safeParse(projectId).success
    ? await findRow<FoundRun>(
        tx,
        `SELECT r.id, r.project_id AS "projectId", r.directory, r.name, o.handle AS owner, p.slug, u.handle AS user
           FROM runs r JOIN projects p ON p.id = r.project_id JOIN users o ON o.id = p.owner_id
           LEFT JOIN users u ON u.id = r.user_id
           -- Whoever shares the run of a former member still needs it.
           CROSS JOIN LATERAL (SELECT p.owner_id = r.user_id OR EXISTS (
             SELECT 1 FROM memberships WHERE project_id = p.id AND user_id = r.user_id) AS is_member) m
          WHERE r.project_id = $1 AND (r.id::text = $2 OR r.name = $2)
            AND (r.user_id = $3 AND (m.is_member OR NOT EXISTS (SELECT 1 FROM run_users s WHERE s.run_id = r.id))
                 OR (r.user_id IS NULL AND (p.owner_id = $3 OR $4))
                 OR (r.id::text = $2 AND ($4 OR (p.owner_id = $3 AND NOT m.is_member))))
          ORDER BY r.id::text = $2 DESC, r.user_id IS NOT DISTINCT FROM $3 DESC LIMIT 1`,
        [projectId, run, actor.userId, isAdmin(actor)],
      )
    : null
  if (found) return found
  throw notFound(
    `You have no run "${run}" in this project. \`gpuq storage\` lists your runs with checkpoints.`,
  )
}
