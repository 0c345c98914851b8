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

const lookEveryMs = 2_000
const timeoutMs = 10_000
/** In all, and of one user: whose address does not answer keeps nobody else waiting. */
const atOnce = 16
const perUser = 4

/** Tells those who asked for it that their job has ended, until `signal` ends it. What was not told yet stays in the database. */
export async function sendNotices(
  signal: AbortSignal,
  posting: Posting = { allowPrivate: env().GPUQ_NOTIFY_PRIVATE, timeoutMs, signal },
): Promise<void> {
  const wake = new ChangeSignal(signal)
  const stop = await listener().listen('queue', wake.notify)
  const underWay = new Map<Promise<void>, string>()
  const ofUser = (userId: string) => [...underWay.values()].filter((id) => id === userId).length
  try {
    while (!signal.aborted) {
      const due = await dueNotices(atOnce, perUser).catch((error: unknown) => {
        logger.error({ err: error }, 'the ends to tell could not be looked for')
        return []
      })
      for (const notice of due) {
        if (underWay.size >= atOnce || ofUser(notice.userId) >= perUser) continue
        const told = sendNotice(notice, posting).catch((error: unknown) =>
          logger.error({ err: error, job: notice.jobId }, 'the end of a job could not be told'),
        )
        underWay.set(told, notice.userId)
        void told.finally(() => {
          underWay.delete(told)
          wake.notify()
        })
      }
      await wake.wait(lookEveryMs)
    }
    await Promise.all(underWay.keys())
  } finally {
    stop()
  }
}

/** One attempt, if nobody else has it. */
export async function sendNotice(notice: DueNotice, posting: Posting): Promise<void> {
  const { jobId, url } = notice
  const taken = await claimNotice(jobId)
  if (!taken) return
  const posted = await postNotice(url, noticeOf(notice), posting)
  if (posted.ok) return settleNotice(jobId, null)
  if (!posted.refused && taken.attempt < mostNoticeAttempts) return noteNoticeProblem(jobId, posted.problem)
  logger.warn({ job: jobId, attempts: taken.attempt }, `the end of a job was not told: ${posted.problem}`)
  return settleNotice(jobId, posted.problem)
}

/** What is posted. */
function noticeOf({ jobId, status, reason, name, endedAt }: DueNotice) {
  return {
    job_id: jobId,
    status: toUploadStatus(status),
    reason,
    name,
    ended_at: endedAt.toISOString(),
    url: `${publicUrl()}/jobs/${jobId}`,
  }
}
