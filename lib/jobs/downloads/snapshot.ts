import type { Actor } from '../../access/actor'
import { renewActor } from '../../access/credential-validity'
import { blobKey } from '../../archives/blob-key'
import { readArchive } from '../../archives/read-archive'
import { findVisibleSnapshot, noSuchSnapshot } from '../../archives/snapshots/snapshot-rows'
import { isLink } from '../../contract/archives/archive-manifest'
import { GpuqError } from '../../contract/errors'
import { database } from '../../database/client'
import { storage } from '../../storage/storage'
import { contentDisposition } from './content-disposition'
import { type TarEntry, type TarLink, tarOf } from './tar'

/** Streams the directory of a snapshot as one tar archive. @throws 404 if the actor may not see it. */
export async function downloadSnapshot(actor: Actor, id: string): Promise<Response> {
  const {
    archiveId,
    name,
    version,
    created_at: modified,
  } = await findVisibleSnapshot(database().pool, actor, id)
  const archive = await readArchive(archiveId)
  // It was deleted a moment ago.
  if (!archive) throw noSuchSnapshot()
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
