import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { receiveUpload } from '@/lib/http/upload'
import { tryJob } from '@/lib/jobs/submission/dry-run'

/** Refuses what a submission would be refused for, without a forecast: that takes several times as long. */
export const POST = route(jobOperations.check, async ({ request, actor: caller }) => {
  await receiveUpload(request, caller, ({ actor, request: given }) => tryJob(actor, given))
})
