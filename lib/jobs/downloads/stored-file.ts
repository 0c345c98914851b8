import type { Readable } from 'node:stream'
import { GpuqError, notFound } from '../../contract/errors'
import type { FilesDeletion } from '../../contract/job-files'
import { openUnlessDeleted } from '../../results/open-unless-deleted'
import type { ByteRange, OpenedObject } from '../../storage/store'
import { parseRange } from './byte-range'
import { contentDisposition, type Download } from './content-disposition'

/** The headers of a request. */
export type RequestHeaders = Pick<Headers, 'get'>

/** An immutable file in the storage. */
export interface StoredFile {
  bytes: number
  /** In hexadecimal; null: not known. */
  sha256: string | null
  open: (range?: ByteRange) => Promise<Readable>
}

/**
 * Returns a stored file as a download, or the part that the request asks for (RFC 9110, section 14): a client continues an
 * interrupted download, or reads only what it needs of a large file.
 * @throws 416 if the file has no such part
 */
export async function storedDownload(
  headers: RequestHeaders,
  { bytes, sha256, open }: StoredFile,
  download: Download,
): Promise<Response> {
  const etag = sha256 === null ? null : `"${sha256}"`
  const common = { 'accept-ranges': 'bytes', ...(etag === null ? {} : { etag }) }
  const condition = headers.get('if-range')
  // The client has a part of another file, or does not say of which.
  const isSame = condition === null || condition === etag
  const range = isSame ? parseRange(headers.get('range'), bytes) : 'whole'
  if (range === 'unsatisfiable') {
    throw new GpuqError(
      'range_not_satisfiable',
      `The file has ${bytes} bytes, and the requested range is not a part of it. Request a range within the file.`,
      { headers: { 'content-range': `bytes */${bytes}` } },
    )
  }
  if (range === 'whole') {
    const whole = { headers: { ...common, 'content-length': String(bytes) } }
    return contentDisposition(await open(), download, whole)
  }
  const { start, end } = range
  const part = {
    status: 206,
    headers: {
      ...common,
      // A part of a compressed answer would be something else.
      'cache-control': 'no-store, no-transform',
      'content-range': `bytes ${start}-${end}/${bytes}`,
      'content-length': String(end - start + 1),
    },
  }
  return contentDisposition(await open(range), download, part)
}

/** The error for files that were deleted on request, or by the retention of their project. */
export function filesDeleted({ files_deleted, deleted_after_days: days }: FilesDeletion): GpuqError {
  return notFound(
    files_deleted === 'on_request'
      ? 'The owner of the job or an admin deleted the file.'
      : `The file was deleted after ${days} days, the retention of its project.`,
  )
}

/** Opens a stored file of a job, or a part of it. @throws 404 if the job's files were deleted meanwhile. */
export async function openFile(jobId: string, key: string, range?: ByteRange): Promise<OpenedObject> {
  const opened = await openUnlessDeleted(jobId, key, range)
  if ('files_deleted' in opened) throw filesDeleted(opened)
  return opened
}
