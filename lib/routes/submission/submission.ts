import type { Actor } from '../../access/actor'
import { isCredentialValid } from '../../access/credential-validity'
import { timeLimit } from '../../async/time-limit'
import { GpuqError } from '../../contract/errors'
import { jobGroup } from '../../contract/operations/job-group'
import { isFinal } from '../../contract/status'
import { isDatabaseAway } from '../../database/away'
import { env } from '../../env'
import { route } from '../../http/route'
import { type Received, receiveUpload } from '../../http/upload'
import { requireStillValid, startWaiting, waitForResultFile, waitUntilFinalFor } from '../../jobs/live/wait'
import { readerOf } from '../../jobs/read/reader-of'
import { acceptedResult, sendResult } from '../../jobs/read/result'
import { accept } from '../../jobs/submission/accept'
import { tryJob } from '../../jobs/submission/dry-run'
import { dryRun } from '../../queue/dry-run'
import { uploadKinds } from '../features'

/** The leader writes the result file moments after the end. The answer names it if it comes within this time. */
const fileWithinMs = 1_000

export const submissionRoutes = {
  /** Accepts a job and waits for its result, unless the client asks not to. A client that disconnects does not stop the job. */
  submit: route(jobGroup.submit, async ({ request, query, actor: caller, answer }) => {
    const longest = env().GPUQ_MAX_WAIT_S
    const wait = Math.min(query.wait ?? preferredWait(request) ?? longest, longest)
    const deduplicate = query.deduplicate ?? false
    if (query.dry_run) {
      const told = await receiveUpload(request, caller, async (received) => {
        const found = await findKind(received)
        if ('other' in found) return found.other.check()
        const { text, ...more } = await dryRun(received.actor, received.request)
        return { ...more, text: found.note === undefined ? text : `${text} ${found.note}` }
      })
      return answer(told, { status: 200 })
    }
    let stopWaiting = () => {}
    try {
      const taken = await receiveUpload(request, caller, async (received) => {
        const { actor, request: given } = received
        const found = await findKind(received)
        if ('other' in found) return { other: await found.other.accept({ deduplicate, wait }) }
        if (wait > 0) stopWaiting = startWaiting(actor)
        return { actor, submitted: await accept(actor, given, { deduplicate }), note: found.note }
      })
      if (taken.other !== undefined) {
        const { body, ...init } = await taken.other.answer(request.signal)
        return answer(body, init)
      }
      const { actor, submitted, note } = taken
      const { jobId, repeated, deduplicated, projectNote, notSent, headers } = submitted
      const more = { deduplicated, project_note: projectNote, not_sent: notSent, competition_note: note }
      const location = `/api/status/${jobId}`
      const isNew = !repeated && !deduplicated
      if (wait > 0) await waitForResult(actor, jobId, request.signal, wait)
      const accepted = { status: 202, headers: { ...headers, location } }
      if (wait === 0 && isNew) return answer({ ...acceptedResult(jobId), ...more }, accepted)
      const read = async () => {
        if (wait > 0) await requireStillValid(actor, { id: jobId, kind: 'job' })
        const mayRead = () => isCredentialValid(actor)
        return sendResult(readerOf(actor, request), jobId, mayRead, ({ status }) => ({
          ...(isFinal(status) ? { ...accepted, status: 200 } : accepted),
          more,
        }))
      }
      return await read().catch((error: unknown) => throwAccepted(jobId, location, error))
    } finally {
      stopWaiting()
    }
  }),

  /** Refuses what a submission would be refused for, without a forecast: that takes several times as long. */
  check: route(jobGroup.check, async ({ request, actor: caller }) => {
    await receiveUpload(request, caller, async (received) => {
      const found = await findKind(received)
      await ('other' in found ? found.other.check() : tryJob(received.actor, received.request))
    })
  }),
}

/** Finds out what an upload is: of the first kind that takes it, or a job, with a note of a kind that it could have been. */
async function findKind(received: Received) {
  let note: string | undefined
  for (const kind of uploadKinds) {
    const found = await kind.find(received)
    if ('other' in found) return found
    note ??= found.note
  }
  return { note }
}

/** Waits at most `seconds` until the job has ended, and a moment for its result file. */
async function waitForResult(
  actor: Actor,
  jobId: string,
  closed: AbortSignal,
  seconds: number,
): Promise<void> {
  const signal = timeLimit(seconds * 1000, closed)
  const ended = await waitUntilFinalFor(actor, jobId, signal)
  if (ended) await waitForResultFile(jobId, AbortSignal.timeout(fileWithinMs))
}

/** The job is stored. A client must not submit it again because its result cannot be read. */
function throwAccepted(jobId: string, location: string, error: unknown): never {
  const isBusy = error instanceof GpuqError && error.code === 'rate_limited'
  if (!isBusy && !isDatabaseAway(error)) throw error
  const why = isBusy ? 'too many long outputs are being read' : 'its database does not answer now'
  throw new GpuqError(
    'unavailable',
    `gpuq accepted job ${jobId}, but ${why}. Do not submit the job again. Get ${location} later.`,
    { retryAfterS: 5, headers: { location } },
  )
}

/** The seconds that the `Prefer` header (RFC 7240) allows for waiting. Null if it says nothing about that. */
function preferredWait(request: Request): number | null {
  const prefer = request.headers.get('prefer')?.toLowerCase() ?? ''
  const wait = prefer.match(/(?:^|,)\s*wait=(\d{1,9})\s*(?:[,;]|$)/)?.[1]
  if (wait !== undefined) return Number(wait)
  return /(?:^|,)\s*respond-async\s*(?:[,;]|$)/.test(prefer) ? 0 : null
}
