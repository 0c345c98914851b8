import { route } from '../http/route'
import { requestNodeChange } from './cluster/node-requests'
import { readSlurmView } from './cluster/read-slurm'
import { createTarget, deleteTarget, listTargets, updateTarget } from './cluster/targets'
import { slurmOperations } from './operations'

export const slurmRoutes = {
  get: route(slurmOperations.get, ({ actor, query }) => readSlurmView(actor, query)),

  updateNode: route(slurmOperations.updateNode, async ({ actor, params, body }) =>
    requestNodeChange(actor, params.name, await body()),
  ),

  targets: route(slurmOperations.targets, ({ actor }) => listTargets(actor)),

  createTarget: route(slurmOperations.createTarget, async ({ actor, body, answer }) => {
    const target = await createTarget(actor, await body())
    return answer(target, { headers: { location: `/api/slurm/targets/${target.id}` } })
  }),

  updateTarget: route(slurmOperations.updateTarget, async ({ actor, params, body }) =>
    updateTarget(actor, params.id, await body()),
  ),

  removeTarget: route(slurmOperations.removeTarget, ({ actor, params }) => deleteTarget(actor, params.id)),
}
