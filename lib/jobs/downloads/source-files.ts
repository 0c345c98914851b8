import { blobKey } from '../../archives/blob-key'
import { compareManifests } from '../../archives/compare-manifests'
import { readArchive } from '../../archives/read-archive'
import { isLink, type Manifest, toManifest } from '../../contract/archives/archive-manifest'
import type { SnapshotChanges } from '../../contract/archives/changes'
import { readSpec } from '../../contract/config/stored-spec'
import { GpuqError, notFound } from '../../contract/errors'
import type { JobFiles } from '../../contract/job-files'
import { safePaths } from '../../contract/text/sanitize-text'
import { database } from '../../database/client'
import { storage } from '../../storage/storage'
import type { ByteRange } from '../../storage/store'
import type { VisibleJob } from '../read/job-visibility'
import { type RequestHeaders, storedDownload } from './stored-file'

/** Lists the files of the directory that was uploaded for a job. */
export async function listSourceFiles(job: VisibleJob): Promise<JobFiles> {
  const { archive, hadArchive } = await readDirectory(job)
  if (archive === null) return { files: hadArchive ? null : [] }
  const files = archive.manifest.entries.map((entry) => ({
    path: entry.path,
    bytes: isLink(entry) ? 0 : entry.bytes,
    target: isLink(entry) ? entry.target : null,
  }))
  return { files }
}

/**
 * Says what changed from the directory of one job to that of another one, by the hashes of the files. A job without a directory
 * has no files.
 * @param limit the most files in the list; the counts are complete
 * @throws 404 if a directory was deleted
 */
export async function compareSourceFiles(
  before: VisibleJob,
  after: VisibleJob,
  limit: number,
): Promise<SnapshotChanges> {
  const [from, to] = await Promise.all([readManifest(before), readManifest(after)])
  return compareManifests(from, to, limit)
}

async function readManifest(job: VisibleJob): Promise<Manifest> {
  const { archive, hadArchive } = await readDirectory(job)
  if (archive) return archive.manifest
  if (!hadArchive) return toManifest([])
  throw notFound(`The directory of job ${job.id} was deleted. Upload it again, and compare with the new job.`)
}

/** Returns one file of the directory, or a part of it, as a download. @throws 404, 416 */
export async function downloadSourceFile(
  job: VisibleJob,
  path: string,
  headers: RequestHeaders,
): Promise<Response> {
  const { archive } = await readDirectory(job)
  const entry = archive?.manifest.entries.find((candidate) => candidate.path === path)
  if (!archive || !entry || isLink(entry))
    throw new GpuqError(
      'not_found',
      'The job has no file with this path. GET /api/jobs/ID/files lists the files of its directory.',
    )
  const { projectId } = archive
  const open = async (range?: ByteRange) =>
    (await storage().open(blobKey(projectId, entry.sha256), range)).stream
  const [name = 'file'] = safePaths([path.slice(path.lastIndexOf('/') + 1)])
  const download = { name, type: 'application/octet-stream', mayRead: job.mayRead }
  return storedDownload(headers, { ...entry, open }, download)
}

async function readDirectory({ id }: VisibleJob) {
  const { archiveId, spec } = await database().prisma.job.findUniqueOrThrow({
    where: { id },
    select: { archiveId: true, spec: true },
  })
  const hadArchive = readSpec(spec).archive !== undefined
  return { archive: archiveId === null ? null : await readArchive(archiveId), hadArchive }
}
