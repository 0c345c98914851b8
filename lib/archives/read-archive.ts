import type { Manifest } from '../contract/archives/archive-manifest'
import { manifestSchema } from '../contract/archives/manifest-schema'
import { database } from '../database/client'
import { findRow } from '../database/transaction'

/** A directory, as a node needs it to unpack it. */
interface StoredArchive {
  projectId: string
  manifest: Manifest
  files: number
  bytes: number
}

/** Returns null if the archive no longer exists. */
export async function readArchive(archiveId: string): Promise<StoredArchive | null> {
  const select = 'SELECT project_id AS "projectId", manifest, files, bytes FROM archives WHERE id = $1'
  const row = await findRow<StoredArchive>(database().pool, select, [archiveId])
  return row && { ...row, manifest: manifestSchema.parse(row.manifest) }
}
