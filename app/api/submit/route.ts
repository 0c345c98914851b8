import { env } from '@/lib/env'
import { parseWait } from '@/lib/http/prefer'
import { route } from '@/lib/http/route'
import { acceptedResult, readResult } from '@/lib/jobs/read'
import { submitJob } from '@/lib/jobs/submit'
import { receiveUpload } from '@/lib/jobs/upload'
import { waitForResultFile, waitUntilFinal } from '@/lib/jobs/wait'

/** The file is written moments after the verdict; the answer names it unless its disk is full. */
const fileWithinMs = 1_000

/** Accepts a job and, unless asked not to, waits for its result. A client that goes away does not stop the job. */
export const POST = route('upload', async ({ request, url, actor: caller }) => {
  const wait = parseWait(request, url, env().GPUQ_MAX_WAIT_S)
  const { actor, submission } = await receiveUpload(request, caller)
  const { jobId, repeated, headers } = await submitJob(actor, submission)
  const ended =
    wait > 0 &&
    (await waitUntilFinal(jobId, AbortSignal.any([request.signal, AbortSignal.timeout(wait * 1000)])))
  if (ended) await waitForResultFile(jobId, AbortSignal.timeout(fileWithinMs))
  return Response.json(wait === 0 && !repeated ? acceptedResult(jobId) : await readResult(jobId), {
    status: ended ? 200 : 202,
    headers: { ...headers, location: `/api/status/${jobId}`, 'cache-control': 'no-store' },
  })
})
