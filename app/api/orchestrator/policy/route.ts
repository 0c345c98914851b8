import { readPolicy, toApiPolicy, updatePolicy } from '@/lib/cluster/admin/policy'
import { orchestratorOperations } from '@/lib/contract/operations/queue'
import { route } from '@/lib/http/route'

export const GET = route(orchestratorOperations.policy, async () => toApiPolicy(await readPolicy()))

export const PUT = route(orchestratorOperations.updatePolicy, async ({ actor, body }) =>
  toApiPolicy(await updatePolicy(actor, await body())),
)
