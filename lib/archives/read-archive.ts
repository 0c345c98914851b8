import { type Manifest, manifestSchema } from '../contract/archive-manifest'
import { database } from '../database/client'

/** A directory, as a node needs it to unpack it. */
interface StoredArchive {
  projectId: string
  manifest: Manifest
  files: number
  bytes: number
}

/** Returns null if the archive no longer exists. */
export async function readArchive(archiveId: string): Promise<StoredArchive | null> {
  const { rows } = await database().pool.query<{
    project_id: string
    manifest: unknown
    files: number
    bytes: number
  }>('SELECT project_id, manifest, files, bytes FROM archives WHERE id = $1', [archiveId])
  const [row] = rows
  if (!row) return null
  const { project_id: projectId, manifest, files, bytes } = row
  return { projectId, manifest: manifestSchema.parse(manifest), files, bytes }
}
