import { createHash } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { EndReason } from '../../contract/reasons'
import { database } from '../../database/client'
import { transaction } from '../../database/transaction'
import { finishWaiting } from '../../jobs/state/finish'
import { artifactKey } from '../../results/name'
import { storage } from '../../storage/storage'

/** Stores a file that a job has left below /results, as a worker does. */
export async function leaveFile(
  jobId: string,
  path: string,
  content: string,
  bytes = content.length,
): Promise<void> {
  const id = uuidv7()
  await storage().write(
    artifactKey({ jobId, attempt: 0, rank: 0 }, id),
    (async function* () {
      yield Buffer.from(content)
    })(),
  )
  const sha256 = createHash('sha256').update(content).digest('hex')
  await database().pool.query(
    'INSERT INTO artifacts (id, job_id, attempt, rank, path, bytes, sha256) VALUES ($1, $2, 0, 0, $3, $4, $5)',
    [id, jobId, path, bytes, sha256],
  )
}

/** Ends a job that waits without a worker, with the files that it left. Returns whether it waited. */
export async function endWaitingJob(
  jobId: string,
  files: Record<string, string> = {},
  reason: EndReason = 'finished',
): Promise<boolean> {
  for (const [path, content] of Object.entries(files)) await leaveFile(jobId, path, content)
  return transaction((tx) => finishWaiting(tx, jobId, { reason, detail: null, exitCode: null }))
}
