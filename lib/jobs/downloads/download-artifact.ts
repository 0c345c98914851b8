import { safePaths } from '../../contract/text/sanitize-text'
import type { ByteRange } from '../../storage/store'
import type { VisibleJob } from '../read/job-visibility'
import { requireImage } from './artifact-preview'
import { findArtifact, openArtifact } from './artifacts'
import type { Download } from './content-disposition'
import { type RequestHeaders, storedDownload } from './stored-file'

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
