import { ChangeSignal } from '@/lib/async/change-signal'
import { toUploadStatus } from '@/lib/contract/status'
import { listener } from '@/lib/database/listen'
import { env, publicUrl } from '@/lib/env'
import {
  claimNotice,
  type DueNotice,
  dueNotices,
  mostNoticeAttempts,
  noteNoticeProblem,
  settleNotice,
} from '@/lib/jobs/lifecycle/notifications'
import { logger } from '@/lib/logger'
import { type Posting, postNotice } from './post-notice'

const pollIntervalMs = 2_000
const timeoutMs = 10_000
/** Limits of concurrent notices, in total and per user, so that one user's slow address does not delay others. */
const maxConcurrent = 16
const maxPerUser = 4

/** Sends notices about ended jobs until `signal` is aborted. Unsent notices stay in the database. */
export async function sendNotices(
  signal: AbortSignal,
  posting: Posting = { allowPrivate: env().GPUQ_NOTIFY_PRIVATE, timeoutMs, signal },
): Promise<void> {
  const wake = new ChangeSignal(signal)
  const stop = await listener().listen('queue', wake.notify)
  const inFlight = new Map<Promise<void>, string>()
  const ofUser = (userId: string) => [...inFlight.values()].filter((id) => id === userId).length
  try {
    while (!signal.aborted) {
      const due = await dueNotices(maxConcurrent, maxPerUser).catch((error: unknown) => {
        logger.error({ err: error }, 'could not look up the notices to send')
        return []
      })
      for (const notice of due) {
        if (inFlight.size >= maxConcurrent || ofUser(notice.userId) >= maxPerUser) continue
        const told = sendNotice(notice, posting).catch((error: unknown) =>
          logger.error({ err: error, job: notice.jobId }, 'could not send the notice about the end of a job'),
        )
        inFlight.set(told, notice.userId)
        void told.finally(() => {
          inFlight.delete(told)
          wake.notify()
        })
      }
      await wake.wait(pollIntervalMs)
    }
    await Promise.all(inFlight.keys())
  } finally {
    stop()
  }
}

/** Makes one attempt, unless another process is making it. */
export async function sendNotice(notice: DueNotice, posting: Posting): Promise<void> {
  const { jobId, url } = notice
  const taken = await claimNotice(jobId)
  if (!taken) return
  const posted = await postNotice(url, toPayload(notice), posting)
  if (posted.ok) return settleNotice(jobId, null)
  if (!posted.refused && taken.attempt < mostNoticeAttempts) return noteNoticeProblem(jobId, posted.problem)
  logger.warn(
    { job: jobId, attempts: taken.attempt },
    `the notice about the end of a job was not delivered: ${posted.problem}`,
  )
  return settleNotice(jobId, posted.problem)
}

/** The posted JSON. */
function toPayload({ jobId, status, reason, name, endedAt }: DueNotice) {
  return {
    job_id: jobId,
    status: toUploadStatus(status),
    reason,
    name,
    ended_at: endedAt.toISOString(),
    url: `${publicUrl()}/jobs/${jobId}`,
  }
}
