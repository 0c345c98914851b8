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

/** The leader writes the result file moments after the end. The answer names it if it comes within this time. */
const fileWithinMs = 1_000

/** Accepts a job and waits for its result, unless the client asks not to. A client that disconnects does not stop the job. */
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

/** The job is stored. A client must not submit it again because its result cannot be read. */
function throwAccepted(jobId: string, location: string, error: unknown): never {
  if (!isDatabaseAway(error)) throw error
  throw new GpuqError(
    'unavailable',
    `gpuq accepted job ${jobId}, but its database does not answer now. Do not submit the job again. Get ${location} later.`,
    { headers: { location, 'retry-after': '5' } },
  )
}

/** The seconds that the `Prefer` header (RFC 7240) allows for waiting. Null if it says nothing about that. */
function preferredWait(request: Request): number | null {
  const prefer = request.headers.get('prefer')?.toLowerCase() ?? ''
  const wait = prefer.match(/(?:^|,)\s*wait=(\d{1,9})\s*(?:[,;]|$)/)?.[1]
  if (wait !== undefined) return Number(wait)
  return /(?:^|,)\s*respond-async\s*(?:[,;]|$)/.test(prefer) ? 0 : null
}
