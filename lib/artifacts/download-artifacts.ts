import { safePaths } from '../contract/text/sanitize-text'
import { contentDisposition, type Download } from '../jobs/downloads/content-disposition'
import { type RequestHeaders, storedDownload } from '../jobs/downloads/stored-file'
import { type TarEntry, tarOf } from '../jobs/downloads/tar'
import type { VisibleJob } from '../jobs/read/job-visibility'
import type { ByteRange } from '../storage/store'
import { findArtifact, openArtifact, readArtifacts } from './artifacts'
import { requireImage } from './preview-artifact'

/**
 * Returns one artifact as a download, or with `image` for display in a page.
 * @param headers may ask for a part of the file
 * @param onEnd called once, when the download has ended in any way
 * @throws 409 if it is not an image that a page can show; 416
 */
export async function downloadArtifact(
  job: VisibleJob,
  artifactId: string,
  as: 'file' | 'image',
  headers: RequestHeaders,
  onEnd: Download['onEnd'] = null,
): Promise<Response> {
  const row = await findArtifact(job, artifactId)
  const type = as === 'file' ? 'application/octet-stream' : await requireImage(job, row)
  const [name = 'artifact'] = safePaths([row.path.slice(row.path.lastIndexOf('/') + 1)])
  const file = { ...row, open: (range?: ByteRange) => openArtifact(job, row, range) }
  return storedDownload(headers, file, { name, type, mayRead: job.mayRead, onEnd })
}

/** Streams all artifacts of the last attempt as one tar archive. */
export async function downloadArtifacts(
  job: VisibleJob,
  download: Pick<Download, 'name' | 'onEnd'>,
): Promise<Response> {
  const entries = await artifactEntries(job)
  return contentDisposition(tarOf(entries), { ...download, type: 'application/x-tar', mayRead: job.mayRead })
}

/** The artifacts of the last attempt as the files of an archive. */
export async function artifactEntries(job: VisibleJob): Promise<TarEntry[]> {
  const rows = await readArtifacts(job)
  const several = rows.some(({ rank }) => rank !== rows[0]?.rank)
  // In an archive, C:/x is an absolute path for programs of Windows.
  const paths = rows.map(({ rank, path }) =>
    several ? `rank-${rank}/${path}` : path.replace(/^([a-z]):/i, '$1_'),
  )
  const names = safePaths(paths)
  return rows.map((row, index) => ({
    path: names[index] ?? row.artifact_id,
    bytes: row.bytes,
    modified: row.stored_at,
    open: () => openArtifact(job, { ...row, attempt: job.attempt }),
  }))
}
