import { GpuqError } from '@/lib/contract/errors'
import { jobOperations } from '@/lib/contract/operations/jobs'
import { isFinal } from '@/lib/contract/status'
import { isDatabaseAway } from '@/lib/database/away'
import { env } from '@/lib/env'
import { route } from '@/lib/http/route'
import { receiveUpload } from '@/lib/http/upload'
import { waitForResultFile, waitUntilFinal } from '@/lib/jobs/live/wait'
import { acceptedResult, readResult } from '@/lib/jobs/read/read'
import { submitJob } from '@/lib/jobs/submission/submit'

/** The file is written moments after the verdict; the answer names it unless its disk is full. */
const fileWithinMs = 1_000

/** Accepts a job and, unless asked not to, waits for its result. A client that goes away does not stop the job. */
export const POST = route(jobOperations.submit, async ({ request, query, actor: caller, answer }) => {
  const longest = env().GPUQ_MAX_WAIT_S
  const wait = Math.min(query.wait ?? preferredWait(request) ?? longest, longest)
  const deduplicate = query.deduplicate ?? false
  const { actor, submission } = await receiveUpload(request, caller)
  const submitted = await submitJob(actor, submission, { deduplicate })
  const { jobId, repeated, deduplicated, headers } = submitted
  const location = `/api/status/${jobId}`
  const ended =
    wait > 0 &&
    (await waitUntilFinal(jobId, AbortSignal.any([request.signal, AbortSignal.timeout(wait * 1000)])))
  if (ended) await waitForResultFile(jobId, AbortSignal.timeout(fileWithinMs))
  const isNew = !repeated && !deduplicated
  const read = () => readResult(jobId).catch((error: unknown) => throwAccepted(jobId, location, error))
  const result = wait === 0 && isNew ? acceptedResult(jobId) : await read()
  const status = isFinal(result.status) ? 200 : 202
  return answer({ ...result, deduplicated }, { status, headers: { ...headers, location } })
})

/** Nobody is to send a job again because the answer to the first time could not be read. */
function throwAccepted(jobId: string, location: string, error: unknown): never {
  if (!isDatabaseAway(error)) throw error
  throw new GpuqError(
    'unavailable',
    `Job ${jobId} was accepted, but gpuq's database does not answer at the moment. Do not send it again: ask for ${location}.`,
    { headers: { location, 'retry-after': '5' } },
  )
}

/** How many seconds the `Prefer` header (RFC 7240) lets a submit wait for its result; null where it does not say. */
function preferredWait(request: Request): number | null {
  const prefer = request.headers.get('prefer')?.toLowerCase() ?? ''
  const wait = prefer.match(/(?:^|,)\s*wait=(\d{1,9})\s*(?:[,;]|$)/)?.[1]
  if (wait !== undefined) return Number(wait)
  return /(?:^|,)\s*respond-async\s*(?:[,;]|$)/.test(prefer) ? 0 : null
}
