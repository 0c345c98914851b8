import { z } from 'zod'
import type { Artifact, ArtifactList, artifactPreviewSchema, FilesDeletion } from '../../contract/artifacts'
import { conflict, type GpuqError, notFound } from '../../contract/errors'
import { safePaths } from '../../contract/sanitize-text'
import { database } from '../../database/client'
import { datesToText, type WithDates } from '../../database/dates'
import { findRow } from '../../database/transaction'
import { artifactKey } from '../../results/name'
import { openUnlessDeleted } from '../../results/open-unless-deleted'
import type { OpenedObject } from '../../storage/store'
import type { VisibleJob } from '../read/job-visibility'
import { contentDisposition } from './content-disposition'
import { type TarEntry, tarOf } from './tar'

type ArtifactRow = WithDates<Artifact, 'stored_at'>

const columns = 'id AS artifact_id, rank, path, bytes, sha256, stored_at'

/** Lists the artifacts of the job's last attempt by rank and path. */
export async function listArtifacts(job: VisibleJob): Promise<ArtifactList> {
  const rows = await readRows(job)
  const { files_deleted, deleted_after_days } = job
  return { artifacts: rows.map(datesToText), files_deleted, deleted_after_days }
}

async function readRows({ id, attempt }: VisibleJob): Promise<ArtifactRow[]> {
  const { rows } = await database().pool.query<ArtifactRow>(
    `SELECT ${columns} FROM artifacts WHERE job_id = $1 AND attempt = $2 ORDER BY rank, path COLLATE "C"`,
    [id, attempt],
  )
  return rows
}

/** An artifact of any attempt. */
type FoundArtifact = ArtifactRow & { attempt: number }

/** Finds an artifact of the job. @throws 404. */
export async function findArtifact(job: VisibleJob, artifactId: string): Promise<FoundArtifact> {
  const row = z.uuid().safeParse(artifactId).success
    ? await findRow<FoundArtifact>(
        database().pool,
        `SELECT ${columns}, attempt FROM artifacts WHERE job_id = $1 AND id = $2`,
        [job.id, artifactId],
      )
    : null
  if (row) return row
  if (job.files_deleted !== null) throw filesDeleted(job)
  throw notFound('The job has no artifact with this id. GET /api/jobs/ID/artifacts lists its artifacts.')
}

/** The error for files that were deleted on request, or by the retention of their project. */
export function filesDeleted({ files_deleted, deleted_after_days: days }: FilesDeletion): GpuqError {
  return notFound(
    files_deleted === 'on_request'
      ? 'The owner of the job or an admin deleted the file.'
      : `The file was deleted after ${days} days, the retention of its project.`,
  )
}

/** Opens a stored file of a job. @throws 404 if the job's files were deleted meanwhile. */
export async function openFile(jobId: string, key: string): Promise<OpenedObject> {
  const opened = await openUnlessDeleted(jobId, key)
  if ('files_deleted' in opened) throw filesDeleted(opened)
  return opened
}

function openRow(job: VisibleJob, row: FoundArtifact): Promise<OpenedObject> {
  const task = { jobId: job.id, attempt: row.attempt, rank: row.rank }
  return openFile(job.id, artifactKey(task, row.artifact_id))
}

/** Returns one artifact as a download, or with `image` for display in a page. @throws 409 if it is not an image. */
export async function downloadArtifact(
  job: VisibleJob,
  artifactId: string,
  as: 'file' | 'image',
): Promise<Response> {
  const row = await findArtifact(job, artifactId)
  const type = as === 'file' ? 'application/octet-stream' : await imageType(job, row)
  if (type === null)
    throw conflict(
      'The artifact is not a PNG, JPEG, GIF, WebP or AVIF image that a page can show. Download it instead.',
    )
  const { stream } = await openRow(job, row)
  const [name = 'artifact'] = safePaths([row.path.slice(row.path.lastIndexOf('/') + 1)])
  return contentDisposition(stream, { name, type })
}

/** Streams all artifacts of the last attempt as one tar archive. */
export async function downloadArtifacts(job: VisibleJob): Promise<Response> {
  const entries = await artifactEntries(job)
  return contentDisposition(tarOf(entries), { name: `${job.id}.tar`, type: 'application/x-tar' })
}

/** The artifacts of the last attempt as the files of an archive. */
export async function artifactEntries(job: VisibleJob): Promise<TarEntry[]> {
  const rows = await readRows(job)
  const several = rows.some(({ rank }) => rank !== rows[0]?.rank)
  const names = safePaths(rows.map(({ rank, path }) => (several ? `rank-${rank}/${path}` : path)))
  return rows.map((row, index) => ({
    path: names[index] ?? row.artifact_id,
    bytes: row.bytes,
    modified: row.stored_at,
    open: async () => (await openRow(job, { ...row, attempt: job.attempt })).stream,
  }))
}

const previewBytes = 64 * 1024
const maxImageBytes = 16 << 20

/** Returns what is safe to show of an untrusted artifact: the start of a text, or the fact that it is an image. */
export async function previewArtifact(
  job: VisibleJob,
  artifactId: string,
): Promise<z.output<typeof artifactPreviewSchema>> {
  const row = await findArtifact(job, artifactId)
  const head = await readHead(job, row, previewBytes)
  if (imageTypeOf(head) !== null) {
    return row.bytes <= maxImageBytes
      ? { kind: 'image' }
      : { kind: 'none', why: 'The image is too large to show.' }
  }
  const truncated = row.bytes > head.length
  const text = new TextDecoder('utf-8').decode(head, { stream: truncated })
  if (/[\0\ufffd]/.test(text)) return { kind: 'none', why: 'The file is neither text nor an image.' }
  return { kind: 'text', text, truncated }
}

async function imageType(job: VisibleJob, row: FoundArtifact): Promise<string | null> {
  return row.bytes > maxImageBytes ? null : imageTypeOf(await readHead(job, row, 16))
}

/** The first bytes of the images that browsers show, as Latin-1. */
const imageSignatures = [
  { type: 'image/png', start: /^\x89PNG\r\n.\n/ },
  { type: 'image/jpeg', start: /^\xff\xd8\xff/ },
  { type: 'image/gif', start: /^GIF8[79]a/ },
  { type: 'image/webp', start: /^RIFF.{4}WEBP/s },
  { type: 'image/avif', start: /^.{4}ftypavi[fs]/s },
]

/**
 * Decides by the first bytes. With a declared type, browsers do not interpret the content as anything else. SVG is left
 * out: it is a document that may have scripts, and at its own address only the headers of this response would keep them
 * from running with the rights of this site. Its preview is its text.
 */
function imageTypeOf(head: Buffer): string | null {
  const begin = head.toString('latin1', 0, 16)
  return imageSignatures.find(({ start }) => start.test(begin))?.type ?? null
}

async function readHead(job: VisibleJob, row: FoundArtifact, length: number): Promise<Buffer> {
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
