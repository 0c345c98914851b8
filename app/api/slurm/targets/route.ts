import { createTarget, listTargets } from '@/lib/cluster/slurm/targets'
import { slurmOperations } from '@/lib/contract/operations/slurm'
import { route } from '@/lib/http/route'

export const GET = route(slurmOperations.targets, ({ actor }) => listTargets(actor))

export const POST = route(slurmOperations.createTarget, async ({ actor, body, answer }) => {
  const target = await createTarget(actor, await body())
  return answer(target, { headers: { location: `/api/slurm/targets/${target.id}` } })
})
