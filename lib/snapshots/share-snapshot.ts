import { type Actor, requireAdmin } from '../access/actor'
import { recordAudit } from '../access/audit'
import { requireNoCompetition } from '../access/of-competition'
import { formatSnapshot } from '../contract/archives/snapshot-name'
import { conflict } from '../contract/errors'
import { acquireLock } from '../database/locks'
import { findRow, type Transaction, transaction } from '../database/transaction'
import type { Snapshot } from './contract'
import {
  findVisibleSnapshot,
  noSuchSnapshot,
  type SnapshotRow,
  snapshotColumns,
  snapshotSource,
  toSnapshot,
} from './snapshot-rows'

/**
 * Lets every project use one version, or only its own project. A name is shared by one project at most, so that it means
 * the same directory for everyone. Jobs that were accepted with the version keep it.
 * @throws 403 unless the actor is an admin, 404, or 409 if another project shares the name, or a competition has the snapshot.
 */
export async function shareSnapshot(actor: Actor, id: string, shared: boolean): Promise<Snapshot> {
  requireAdmin(actor)
  return transaction(async (tx) => {
    await acquireLock(tx, 'sharedSnapshots')
    const { projectId, owner, project_id: slug, ...snapshot } = await findVisibleSnapshot(tx, actor, id)
    if (shared !== (snapshot.shared_at !== null)) {
      if (shared) await requireNoCompetition(tx, projectId, 'Its data may be hidden, so it is not shared.')
      if (shared) await requireUnsharedName(tx, projectId, snapshot.name)
      await tx.query('UPDATE snapshots SET shared_at = CASE WHEN $2 THEN now() END WHERE id = $1', [
        id,
        shared,
      ])
      const target = `${owner}/${slug}/${formatSnapshot(snapshot)}`
      const action = shared ? 'snapshot_shared' : 'snapshot_unshared'
      await recordAudit(tx, { actorId: actor.userId, action, target })
    }
    const select = `SELECT ${snapshotColumns('true')} FROM ${snapshotSource} WHERE s.id = $1`
    const row = await findRow<SnapshotRow>(tx, select, [id])
    // It may have been deleted meanwhile.
    if (!row) throw noSuchSnapshot()
    return toSnapshot(row)
  })
}

async function requireUnsharedName(tx: Transaction, projectId: string, name: string): Promise<void> {
  const other = await findRow<{ owner: string; slug: string }>(
    tx,
    `SELECT o.handle AS owner, p.slug FROM snapshots s JOIN projects p ON p.id = s.project_id JOIN users o ON o.id = p.owner_id
      WHERE s.name = $2 AND s.shared_at IS NOT NULL AND s.project_id <> $1 LIMIT 1`,
    [projectId, name],
  )
  if (!other) return
  throw conflict(
    `The project ${other.owner}/${other.slug} already shares a snapshot "${name}" with everyone. Stop sharing that one first, or push this directory under another name.`,
  )
}
