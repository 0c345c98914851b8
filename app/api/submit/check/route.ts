import { jobOperations } from '@/lib/contract/operations/jobs'
import { route } from '@/lib/http/route'
import { receiveUpload } from '@/lib/http/upload'
import { tryJob } from '@/lib/jobs/submission/dry-run'

/** Refuses what a submission would be refused for, without a forecast: that takes several times as long. */
export const POST = route(jobOperations.check, async ({ request, actor: caller }) => {
  const { actor, submission } = await receiveUpload(request, caller, { isDryRun: true })
  await tryJob(actor, submission)
})
