import {
  readOrchestrator,
  readPolicy,
  setOrchestratorRunning,
  toApiPolicy,
  updatePolicy,
} from '../../cluster/admin/policy'
import { orchestratorOperations } from '../../contract/operations/queue'
import { route } from '../../http/route'

export const orchestratorRoutes = {
  status: route(orchestratorOperations.status, () => readOrchestrator()),

  start: route(orchestratorOperations.start, async ({ actor }) => {
    await setOrchestratorRunning(actor, true)
    return readOrchestrator()
  }),

  stop: route(orchestratorOperations.stop, async ({ actor }) => {
    await setOrchestratorRunning(actor, false)
    return readOrchestrator()
  }),

  policy: route(orchestratorOperations.policy, async () => toApiPolicy(await readPolicy())),

  updatePolicy: route(orchestratorOperations.updatePolicy, async ({ actor, body }) =>
    toApiPolicy(await updatePolicy(actor, await body())),
  ),
}
