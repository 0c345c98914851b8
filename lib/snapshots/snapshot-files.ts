import type { z } from 'zod'
import type { Actor } from '../access/actor'
import { renewActor } from '../access/credential-validity'
import { blobKey } from '../archives/blob-key'
import { compareManifests } from '../archives/compare-manifests'
import { readArchive } from '../archives/read-archive'
import { isLink } from '../contract/archives/archive-manifest'
import type { SnapshotChanges } from '../contract/archives/changes'
import { GpuqError } from '../contract/errors'
import { database } from '../database/client'
import { contentDisposition } from '../jobs/downloads/content-disposition'
import { type TarEntry, type TarLink, tarOf } from '../jobs/downloads/tar'
import { storage } from '../storage/storage'
import type { compareSnapshotsSchema } from './contract'
import { findVisibleSnapshot, noSuchSnapshot } from './snapshot-rows'

/** Streams the directory of a snapshot as one tar archive. @throws 404 if the actor may not see it. */
export async function downloadSnapshot(actor: Actor, id: string): Promise<Response> {
  const { snapshot, archive } = await readSnapshot(actor, id)
  const { name, version, created_at: modified } = snapshot
  const { projectId, manifest } = archive
  const entries = manifest.entries.map((entry): TarEntry | TarLink =>
    isLink(entry)
      ? { ...entry, modified }
      : {
          path: entry.path,
          bytes: entry.bytes,
          modified,
          executable: entry.executable ?? false,
          open: async () => (await storage().open(blobKey(projectId, entry.sha256))).stream,
        },
  )
  const file = `${name.replaceAll('/', '-')}-${version}.tar`
  const mayRead = () => maySee(actor, id)
  return contentDisposition(tarOf(entries), { name: file, type: 'application/x-tar', mayRead })
}

/** Says what changed from the snapshot `since` to another one. @throws 404 if the actor may not see one of them. */
export async function compareSnapshots(
  actor: Actor,
  id: string,
  { since, limit }: z.output<typeof compareSnapshotsSchema>,
): Promise<SnapshotChanges> {
  const [before, after] = await Promise.all([readSnapshot(actor, since), readSnapshot(actor, id)])
  return compareManifests(before.archive.manifest, after.archive.manifest, limit)
}

async function readSnapshot(actor: Actor, id: string) {
  const snapshot = await findVisibleSnapshot(database().pool, actor, id)
  const archive = await readArchive(snapshot.archiveId)
  // It was deleted a moment ago.
  if (!archive) throw noSuchSnapshot()
  return { snapshot, archive }
}

/** The actor may have left the project, or lost the role of an admin. */
async function maySee(actor: Actor, id: string): Promise<boolean> {
  const current = await renewActor(actor)
  if (current === null) return false
  try {
    await findVisibleSnapshot(database().pool, current, id)
    return true
  } catch (error) {
    if (error instanceof GpuqError) return false
    throw error
  }
}
