import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uuidv7 } from 'uuidv7'
import { archiveHash } from '@/lib/archives/archive-hash'
import { type Entry, toManifest, totalBytes } from '@/lib/contract/archives/archive-manifest'
import type { Lab } from './lab'

/** A file, a program, or a link. */
export type UploadedEntry = string | Buffer | { program: string } | { target: string }

/** Gives a job that has not started a directory, as if a user had uploaded it. */
export async function giveDirectory(
  lab: Lab,
  jobId: string,
  files: Record<string, UploadedEntry>,
): Promise<void> {
  const { pool } = lab.database
  const { rows } = await pool.query<{ project_id: string }>('SELECT project_id FROM jobs WHERE id = $1', [
    jobId,
  ])
  const projectId = rows[0]?.project_id ?? ''
  const directory = join(lab.blobsDirectory, projectId)
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
  const id = uuidv7()
  await pool.query(
    'INSERT INTO archives (id, project_id, hash, manifest, files, bytes) VALUES ($1, $2, $3, $4, $5, $6)',
    [id, projectId, Buffer.from(hash, 'hex'), JSON.stringify(manifest), entries.length, totalBytes(entries)],
  )
  await pool.query(
    `UPDATE jobs SET archive_id = $2, spec = spec || jsonb_build_object('archive', $3::text) WHERE id = $1`,
    [jobId, id, hash],
  )
}
