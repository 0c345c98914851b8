import { safePaths } from '../contract/text/sanitize-text'
import { database } from '../database/client'
import { plainText } from '../jobs/downloads/download'
import { finalLogName } from '../jobs/read/to-job-bucket'
import { logger } from '../logger'
import { artifactKey, resultKey } from '../results/name'
import { ownReader } from '../results/reading/output-reader'
import { countRanks } from '../results/reading/read-output'
import { storage } from '../storage/storage'
import { StorageFault } from '../storage/store'
import { openBucket } from './buckets'
import { type ProjectBucket, projectBucketKey } from './project-bucket'
import { claimUpload, delayUpload, type JobUpload, renewClaim, settleUpload } from './upload-rows'

const renewIntervalMs = 15_000

/**
 * Makes one attempt to store the results and the final log of an ended job in the bucket of its project. On failure, stores the
 * problem and the time of the next attempt. gpuq's own copy is not changed. Never rejects for a fault of the bucket.
 */
export async function storeUpload(jobId: string): Promise<void> {
  const upload = await claimUpload(jobId)
  if (!upload) return
  const renewing = setInterval(() => {
    renewClaim(jobId).catch((error: unknown) =>
      logger.warn({ err: error, job: jobId }, 'could not renew a claim'),
    )
  }, renewIntervalMs)
  try {
    await storeClaimed(upload)
  } finally {
    clearInterval(renewing)
  }
}

async function storeClaimed(upload: JobUpload): Promise<void> {
  const { jobId, bucketId, resultName } = upload
  if (resultName === null) {
    return settleUpload(jobId, 'The files of the job were deleted before they were stored in the bucket.')
  }
  try {
    const bucket = await openBucket(bucketId)
    try {
      await storeFiles(bucket, upload, resultName)
    } finally {
      await bucket.close()
    }
    await settleUpload(jobId, null)
    logger.info({ job: jobId }, 'stored the results of a job in the bucket of its project')
  } catch (error) {
    const problem =
      error instanceof StorageFault ? error.message : 'gpuq could not read or store a file. See its log.'
    logger.error({ err: error, job: jobId }, 'could not store results in the bucket of a project, retrying')
    await delayUpload(upload, problem)
  }
}

interface ArtifactRow {
  id: string
  rank: number
  path: string
  bytes: number
}

/** Stores the log last: when it is there, everything is. Skips large files that an earlier attempt has stored. */
async function storeFiles(
  bucket: ProjectBucket,
  { jobId, attempt }: JobUpload,
  resultName: string,
): Promise<void> {
  const { rows } = await database().pool.query<ArtifactRow>(
    'SELECT id, rank, path, bytes FROM artifacts WHERE job_id = $1 AND attempt = $2 ORDER BY rank, path COLLATE "C"',
    [jobId, attempt],
  )
  const several = rows.some(({ rank }) => rank !== rows[0]?.rank)
  const paths = safePaths(rows.map(({ rank, path }) => (several ? `rank-${rank}/${path}` : path)))
  for (const [index, { id, rank, bytes }] of rows.entries()) {
    const key = projectBucketKey(jobId, `artifacts/${paths[index] ?? id}`, `artifacts/${id}`)
    if (await bucket.has(key, bytes)) continue
    const { stream } = await storage().open(artifactKey({ jobId, attempt, rank }, id))
    await bucket.write(key, stream)
  }
  const result = await storage().open(resultKey(resultName))
  await bucket.write(projectBucketKey(jobId, 'result.jsonl'), result.stream)
  const ranks = await countRanks(jobId, attempt)
  const reader = ownReader('uploads to buckets')
  const log = plainText(reader, { id: jobId, attempt }, ranks)
  await bucket.write(projectBucketKey(jobId, finalLogName), log)
}
