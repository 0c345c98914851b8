import { readOrchestrator } from '@/lib/cluster/admin/policy'
import { orchestratorOperations } from '@/lib/contract/operations/queue'
import { route } from '@/lib/http/route'

export const GET = route(orchestratorOperations.status, () => readOrchestrator())
