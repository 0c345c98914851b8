import { readSlurmView } from '@/lib/cluster/slurm/read-slurm'
import { slurmOperations } from '@/lib/contract/operations/slurm'
import { route } from '@/lib/http/route'

export const GET = route(slurmOperations.get, ({ actor, query }) => readSlurmView(actor, query))
