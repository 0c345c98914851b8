import { readOrchestrator, setOrchestratorRunning } from '@/lib/cluster/admin/policy'
import { orchestratorOperations } from '@/lib/contract/operations/queue'
import { route } from '@/lib/http/route'

export const POST = route(orchestratorOperations.start, async ({ actor }) => {
  await setOrchestratorRunning(actor, true)
  return readOrchestrator()
})
