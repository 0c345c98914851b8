import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { NodesWanted } from '@/lib/contract/cluster/cluster'
import type { UpdateSlurmNode, UpdateSlurmTarget } from '@/lib/slurm/contract'
import { nodesPerPage } from '../queries/cluster'
import { api, changing } from '../queries/queries'

const resource = ['slurm'] as const
const targets = [...resource, 'targets'] as const

/** The leader reads Slurm every two seconds. */
const liveMs = 2500

/** The Slurm cluster with the selected nodes. */
export const slurmQuery = (wanted: NodesWanted = { limit: nodesPerPage }) =>
  queryOptions({
    queryKey: [...resource, 'cluster', wanted],
    queryFn: ({ signal }) => api.slurm.get(wanted, signal),
    refetchInterval: liveMs,
    placeholderData: keepPreviousData,
  })

/** Where the jobs of projects and pools go, for admins. */
export const slurmTargetsQuery = () =>
  queryOptions({ queryKey: targets, queryFn: ({ signal }) => api.slurm.targets(signal) })

export const updateSlurmNode = changing(
  ({ name, ...body }: UpdateSlurmNode & { name: string }) => api.slurm.updateNode(name, body),
  resource,
)
export const createSlurmTarget = changing(api.slurm.createTarget, targets)
export const updateSlurmTarget = changing(
  ({ id, ...body }: UpdateSlurmTarget & { id: string }) => api.slurm.updateTarget(id, body),
  targets,
)
export const removeSlurmTarget = changing((id: string) => api.slurm.removeTarget(id), targets)
