import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { Person } from '@/lib/access/testing/people'
import { archiveHash } from '@/lib/archives/archive-hash'
import { blobKey } from '@/lib/archives/blob-key'
import { canonicalText, toManifest } from '@/lib/contract/archives/archive-manifest'
import { database } from '@/lib/database/client'
import { storage } from '@/lib/storage/storage'

/** Yields a content as a stream of one part. */
export async function* partsOf(content: Buffer): AsyncGenerator<Buffer> {
  yield content
}

/** Returns the id of the project of this name that the person owns. */
export async function projectOf(owner: Person, slug: string): Promise<string> {
  const { rows } = await database().pool.query<{ id: string }>(
    'SELECT id FROM projects WHERE owner_id = $1 AND slug = $2',
    [owner.id, slug],
  )
  const project = rows[0]?.id
  if (!project) throw new Error(`${owner.handle} has no project ${slug}.`)
  return project
}

/** Stores an archive with the file `settings.yaml`, and makes it the directory of a job, as if its user had uploaded it. */
export async function attachArchive(
  project: string,
  job: string,
  text: string,
): Promise<{ project: string; hash: string }> {
  const content = Buffer.from(text)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const { pool } = database()
  await storage().write(blobKey(project, sha256), partsOf(content))
  await pool.query(
    `INSERT INTO archive_blobs (project_id, hash, user_id, bytes)
     SELECT $1, decode($2, 'hex'), user_id, $3 FROM jobs WHERE id = $4`,
    [project, sha256, content.length, job],
  )
  const manifest = toManifest([{ path: 'settings.yaml', bytes: content.length, sha256 }])
  const hash = archiveHash(manifest)
  const archive = uuidv7()
  await pool.query(
    `INSERT INTO archives (id, project_id, hash, manifest, files, bytes) VALUES ($1, $2, decode($3, 'hex'), $4, 1, $5)`,
    [archive, project, hash, canonicalText(manifest), content.length],
  )
  await pool.query(
    'INSERT INTO archive_holders (archive_id, user_id) SELECT $1, user_id FROM jobs WHERE id = $2',
    [archive, job],
  )
  await pool.query('UPDATE jobs SET archive_id = $2 WHERE id = $1', [job, archive])
  return { project, hash }
}
