import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { uuidv7 } from 'uuidv7'
import { archiveHash } from '@/lib/archives/archive-hash'
import { type Entry, toManifest, totalBytes } from '@/lib/contract/archives/archive-manifest'

/** A file, a program, or a link. */
export type UploadedEntry = string | Buffer | { program: string } | { target: string }

/** Where the rows and the contents of directories are. Labs are such places. */
interface Place {
  database: { pool: pg.Pool }
  /** The area `blobs` of the store. */
  blobsDirectory: string
}

interface StoredArchive {
  archiveId: string
  /** In hexadecimal. */
  hash: string
}

/** Stores a directory of a project, as if a user had uploaded it. */
export async function storeArchive(
  { database: { pool }, blobsDirectory }: Place,
  projectId: string,
  files: Record<string, UploadedEntry>,
): Promise<StoredArchive> {
  const directory = join(blobsDirectory, projectId)
  await mkdir(directory, { recursive: true })
  const entries: Entry[] = []
  for (const [path, given] of Object.entries(files)) {
    if (typeof given === 'object' && 'target' in given) entries.push({ path, target: given.target })
    else {
      const content = Buffer.from(typeof given === 'object' && 'program' in given ? given.program : given)
      const sha256 = createHash('sha256').update(content).digest('hex')
      await writeFile(join(directory, sha256), content)
      const executable = typeof given === 'object' && 'program' in given && ({ executable: true } as const)
      entries.push({ path, bytes: content.length, sha256, ...executable })
    }
  }
  const manifest = toManifest(entries)
  const hash = archiveHash(manifest)
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO archives (id, project_id, hash, manifest, files, bytes) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (project_id, hash) DO UPDATE SET created_at = now() RETURNING id`,
    [
      uuidv7(),
      projectId,
      Buffer.from(hash, 'hex'),
      JSON.stringify(manifest),
      entries.length,
      totalBytes(entries),
    ],
  )
  return { archiveId: rows[0]?.id ?? '', hash }
}

async function projectOf({ database: { pool } }: Place, jobId: string): Promise<string> {
  const { rows } = await pool.query<{ project_id: string }>('SELECT project_id FROM jobs WHERE id = $1', [
    jobId,
  ])
  return rows[0]?.project_id ?? ''
}

/** Gives a job that has not started a directory, as if a user had uploaded it. */
export async function giveDirectory(
  place: Place,
  jobId: string,
  files: Record<string, UploadedEntry>,
): Promise<void> {
  const { archiveId, hash } = await storeArchive(place, await projectOf(place, jobId), files)
  await place.database.pool.query(
    `UPDATE jobs SET archive_id = $2, spec = spec || jsonb_build_object('archive', $3::text) WHERE id = $1`,
    [jobId, archiveId, hash],
  )
}

/** Gives a job that has not started a snapshot at a path, as if it had named the snapshot in its config. */
export async function giveMount(
  place: Place,
  jobId: string,
  path: string,
  files: Record<string, UploadedEntry>,
): Promise<StoredArchive> {
  const projectId = await projectOf(place, jobId)
  const archive = await storeArchive(place, projectId, files)
  await place.database.pool.query(
    `WITH snapshot AS (
       INSERT INTO snapshots (id, project_id, name, version, archive_id) VALUES ($1, $2, 'data/set', 1, $3)
       ON CONFLICT (project_id, name, version) DO UPDATE SET archive_id = $3 RETURNING id)
     INSERT INTO job_mounts (job_id, path, snapshot_id, name, version, hash)
     SELECT $4, $5, id, 'data/set', 1, decode($6, 'hex') FROM snapshot`,
    [uuidv7(), projectId, archive.archiveId, jobId, path, archive.hash],
  )
  return archive
}
