import { deleteTarget, updateTarget } from '@/lib/cluster/slurm/targets'
import { slurmOperations } from '@/lib/contract/operations/slurm'
import { route } from '@/lib/http/route'

export const PUT = route(slurmOperations.updateTarget, async ({ actor, params, body }) =>
  updateTarget(actor, params.id, await body()),
)

export const DELETE = route(slurmOperations.removeTarget, ({ actor, params }) =>
  deleteTarget(actor, params.id),
)
