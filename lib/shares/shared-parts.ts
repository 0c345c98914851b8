import type { z } from 'zod'
import { clientAddress } from '../access/client-address'
import { listArtifacts } from '../artifacts/artifacts'
import type { artifactPreviewSchema } from '../artifacts/contract'
import { downloadArtifact, downloadArtifacts } from '../artifacts/download-artifacts'
import { previewArtifact } from '../artifacts/preview-artifact'
import { notFound } from '../contract/errors'
import { downloadText } from '../jobs/downloads/download'
import type { VisibleJob } from '../jobs/read/job-visibility'
import type { JobMetrics, MetricsQuery } from '../metrics/contract'
import { downloadMetrics, readJobMetrics } from '../metrics/read-metrics'
import { OutputReader } from '../results/reading/output-reader'
import type { sharedArtifactsSchema } from './contract'
import { countLinkRequest } from './link-requests'
import { withDownloadSlot } from './link-slots'
import { downloadsByLinksOf, findShare, linksOf, type OpenShare, openShare, requirePart } from './shared-job'

/*
 * The parts of a job for the holder of a link. The link takes the place of the user: the same functions answer both, and they get
 * the job only here. No name of a download has the id of the job.
 */

type Part = 'output' | 'metrics' | 'files'

/**
 * Finds the job of a link that shows this part of it.
 * @throws 404 for a link that is not valid, for one that does not show the part, and for deleted files.
 */
async function openPart(
  part: Part,
  token: string,
  request: Pick<Request, 'headers'>,
): Promise<{ share: OpenShare; job: VisibleJob }> {
  const share = await openShare(token, clientAddress(request.headers))
  requirePart(share, part)
  const { jobId: id, ownerId: userId, status, attempt, files_deleted } = share
  if (files_deleted !== null) throw notFound('The files of this job were deleted.')
  // The parts of a link do not change.
  const mayRead = async () => (await findShare(token)) !== null
  return { share, job: { id, userId, status, attempt, files_deleted, deleted_after_days: null, mayRead } }
}

const outputReader = (share: OpenShare, { method, signal }: Request) =>
  new OutputReader(downloadsByLinksOf(share), signal, method === 'HEAD')

/** Downloads the output of the job as plain text. @throws 404, 429. */
export async function downloadSharedOutput(token: string, request: Request): Promise<Response> {
  const { share, job } = await openPart('output', token, request)
  countLinkRequest('readings', share)
  return downloadText(outputReader(share, request), job, { name: 'output.txt', mayRead: job.mayRead })
}

/** Reads the metrics of the job, also while it runs. @throws 404, 429. */
export async function readSharedMetrics(
  token: string,
  query: MetricsQuery,
  request: Request,
): Promise<JobMetrics> {
  const { share, job } = await openPart('metrics', token, request)
  countLinkRequest('parts', share)
  return readJobMetrics(linksOf(share), job, query)
}

/** Downloads all values of some metrics as CSV. @throws 404, 429. */
export async function downloadSharedMetrics(
  token: string,
  query: Parameters<typeof downloadMetrics>[2],
  request: Request,
): Promise<Response> {
  const { share, job } = await openPart('metrics', token, request)
  countLinkRequest('readings', share)
  return downloadMetrics(outputReader(share, request), job, query, { name: 'metrics.csv' })
}

/** Lists the files in /results. @throws 404, 429. */
export async function listSharedArtifacts(
  token: string,
  request: Request,
): Promise<z.output<typeof sharedArtifactsSchema>> {
  const { share, job } = await openPart('files', token, request)
  countLinkRequest('parts', share)
  const { artifacts } = await listArtifacts(job)
  return { artifacts }
}

/** Returns what is safe to show of a file. @throws 404, 429. */
export async function previewSharedArtifact(
  token: string,
  artifactId: string,
  request: Request,
): Promise<z.output<typeof artifactPreviewSchema>> {
  const { share, job } = await openPart('files', token, request)
  countLinkRequest('parts', share)
  return previewArtifact(job, artifactId)
}

/** Returns one file as a download, or with `image` for display in a page. @throws 404, 409, 416, 429. */
export async function downloadSharedArtifact(
  token: string,
  artifactId: string,
  as: 'file' | 'image',
  request: Request,
): Promise<Response> {
  const { share, job } = await openPart('files', token, request)
  countLinkRequest('parts', share)
  return withDownloadSlot(share, (onEnd) => downloadArtifact(job, artifactId, as, request.headers, onEnd))
}

/** Streams all files as one tar archive. @throws 404, 429. */
export async function downloadSharedArtifacts(token: string, request: Request): Promise<Response> {
  const { share, job } = await openPart('files', token, request)
  countLinkRequest('readings', share)
  return withDownloadSlot(share, (onEnd) => downloadArtifacts(job, { name: 'results.tar', onEnd }))
}
