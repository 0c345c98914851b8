import type { z } from 'zod'
import type { Actor } from '../../access/actor'
import type { Manifest } from '../../contract/archives/archive-manifest'
import type { compareSnapshotsSchema, SnapshotChanges } from '../../contract/archives/snapshots'
import { database } from '../../database/client'
import { readArchive } from '../read-archive'
import { compareManifests } from './compare-manifests'
import { findVisibleSnapshot, noSuchSnapshot } from './snapshot-rows'

/** Says what changed from the snapshot `since` to another one. @throws 404 if the actor may not see one of them. */
export async function compareSnapshots(
  actor: Actor,
  id: string,
  { since, limit }: z.output<typeof compareSnapshotsSchema>,
): Promise<SnapshotChanges> {
  const [before, after] = await Promise.all([readManifest(actor, since), readManifest(actor, id)])
  return compareManifests(before, after, limit)
}

async function readManifest(actor: Actor, id: string): Promise<Manifest> {
  const { archiveId } = await findVisibleSnapshot(database().pool, actor, id)
  const archive = await readArchive(archiveId)
  // It was deleted a moment ago.
  if (!archive) throw noSuchSnapshot()
  return archive.manifest
}
