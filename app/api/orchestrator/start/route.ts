import { readOrchestrator } from '@/lib/cluster/admin/orchestrator'
import { setOrchestratorRunning } from '@/lib/cluster/admin/policy'
import { route } from '@/lib/http/route'

/** Starts the orchestrator, if it does not run. */
export const POST = route('admin', async ({ actor }) => {
  await setOrchestratorRunning(actor, true)
  return Response.json(await readOrchestrator())
})
