import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Artifact, ArtifactList } from '../../contract/artifacts'
import { GpuqError } from '../../contract/errors'
import { safePaths } from '../../contract/sanitize-text'
import { database } from '../../database/client'
import { artifactKey } from '../../results/name'
import { storage } from '../../storage/storage'
import type { VisibleJob } from '../read/job-visibility'
import { contentDisposition } from './content-disposition'
import { type TarEntry, tarOf } from './tar'

interface ArtifactRow {
  id: string
  attempt: number
  rank: number
  path: string
  bytes: number
  sha256: string
  storedAt: Date
}

const columns = 'id, attempt, rank, path, bytes, sha256, stored_at AS "storedAt"'

/** What the job's last attempt left in /results, by rank and path. */
export async function listArtifacts(job: VisibleJob): Promise<ArtifactList> {
  const [artifacts, days] = await Promise.all([readRows(job), deletedAfterDays(job.id)])
  return { artifacts: artifacts.map(toArtifact), deleted_after_days: days }
}

async function readRows({ id, attempt }: VisibleJob): Promise<ArtifactRow[]> {
  const { rows } = await database().pool.query<ArtifactRow>(
    `SELECT ${columns} FROM artifacts WHERE job_id = $1 AND attempt = $2 ORDER BY rank, path COLLATE "C"`,
    [id, attempt],
  )
  return rows
}

/** After how many days its files were deleted; null: they were not. */
export async function deletedAfterDays(jobId: string): Promise<number | null> {
  const { rows } = await database().pool.query<{ days: number | null }>(
    'SELECT deleted_after_days AS days FROM jobs WHERE id = $1',
    [jobId],
  )
  return rows[0]?.days ?? null
}

function toArtifact({ id, storedAt, attempt: _, ...row }: ArtifactRow): Artifact {
  return { artifact_id: id, ...row, stored_at: storedAt.toISOString() }
}

/** One of a job's artifacts. @throws 404 for any other. */
async function findArtifact(job: VisibleJob, artifactId: string): Promise<ArtifactRow> {
  const { rows } = z.uuid().safeParse(artifactId).success
    ? await database().pool.query<ArtifactRow>(
        `SELECT ${columns} FROM artifacts WHERE job_id = $1 AND id = $2`,
        [job.id, artifactId],
      )
    : { rows: [] }
  if (rows[0]) return rows[0]
  const days = await deletedAfterDays(job.id)
  throw new GpuqError(
    'not_found',
    days === null
      ? 'The job has no artifact with this id. Look at /api/jobs/ID/artifacts for those it has.'
      : `It was deleted after ${days} days, by the retention of its project.`,
  )
}

function openRow(job: VisibleJob, row: ArtifactRow): Promise<{ stream: Readable; bytes: number }> {
  return storage().open(artifactKey({ jobId: job.id, attempt: row.attempt, rank: row.rank }, row.id))
}

/** One artifact to save, or with `image` a picture for a page. @throws 409 where it is no picture. */
export async function downloadArtifact(
  job: VisibleJob,
  artifactId: string,
  as: 'file' | 'image',
): Promise<Response> {
  const row = await findArtifact(job, artifactId)
  const type = as === 'file' ? 'application/octet-stream' : await imageType(job, row)
  if (type === null)
    throw new GpuqError('conflict', 'It is no PNG or JPEG that a page can show. Download it.')
  const { stream } = await openRow(job, row)
  const [name = 'artifact'] = safePaths([row.path.slice(row.path.lastIndexOf('/') + 1)])
  return contentDisposition(stream, { name, type })
}

/** All artifacts of the last attempt as one tar archive, made as it is sent. */
export async function downloadArtifacts(job: VisibleJob): Promise<Response> {
  const rows = await readRows(job)
  const several = rows.some(({ rank }) => rank !== rows[0]?.rank)
  const names = safePaths(rows.map(({ rank, path }) => (several ? `rank-${rank}/${path}` : path)))
  const entries = rows.map(
    (row, index): TarEntry => ({
      path: names[index] ?? row.id,
      bytes: row.bytes,
      modified: row.storedAt,
      open: async () => (await openRow(job, row)).stream,
    }),
  )
  return contentDisposition(tarOf(entries), { name: `${job.id}.tar`, type: 'application/x-tar' })
}

const previewBytes = 64 * 1024
const mostImageBytes = 16 << 20

type ArtifactPreview =
  | { kind: 'text'; text: string; truncated: boolean }
  | { kind: 'image' }
  | { kind: 'none'; why: string }

/** What can be shown of an artifact without trusting it: the beginning of a text, or that it is a picture. */
export async function previewArtifact(job: VisibleJob, artifactId: string): Promise<ArtifactPreview> {
  const row = await findArtifact(job, artifactId)
  const head = await readHead(job, row, previewBytes)
  if (imageTypeOf(head) !== null) {
    return row.bytes <= mostImageBytes
      ? { kind: 'image' }
      : { kind: 'none', why: 'The picture is too large to show.' }
  }
  const truncated = row.bytes > head.length
  const text = new TextDecoder('utf-8').decode(head, { stream: truncated })
  if (/[\0\ufffd]/.test(text)) return { kind: 'none', why: 'It is neither text nor a picture.' }
  return { kind: 'text', text, truncated }
}

async function imageType(job: VisibleJob, row: ArtifactRow): Promise<string | null> {
  return row.bytes > mostImageBytes ? null : imageTypeOf(await readHead(job, row, 16))
}

/** By its first bytes: a browser that is told a type reads nothing else out of them. */
function imageTypeOf(head: Buffer): string | null {
  if (head.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))) return 'image/png'
  return head.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) ? 'image/jpeg' : null
}

async function readHead(job: VisibleJob, row: ArtifactRow, length: number): Promise<Buffer> {
  const { stream } = await openRow(job, row)
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream as AsyncIterable<Buffer>) {
    parts.push(part)
    bytes += part.length
    if (bytes >= length) break
  }
  return Buffer.concat(parts).subarray(0, length)
}
