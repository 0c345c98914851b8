import { requestNodeChange } from '@/lib/cluster/slurm/node-requests'
import { slurmOperations } from '@/lib/contract/operations/slurm'
import { route } from '@/lib/http/route'

export const PATCH = route(slurmOperations.updateNode, async ({ actor, params, body }) =>
  requestNodeChange(actor, params.name, await body()),
)
