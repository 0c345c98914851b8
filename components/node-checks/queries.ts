import { queryOptions } from '@tanstack/react-query'
import { api, changing } from '../queries/queries'

/** A change of the cluster makes the reports stale, and a check changes the cluster. */
const cluster = ['cluster'] as const
const checkingMs = 2500
const idleMs = 15_000

/** The last checks of each node, for admins. Repeated more often while a requested check runs. */
export const nodeReportsQuery = () =>
  queryOptions({
    queryKey: [...cluster, 'reports'],
    queryFn: ({ signal }) => api.cluster.nodeReports(signal),
    refetchInterval: ({ state: { data } }) => (data?.some(({ checking }) => checking) ? checkingMs : idleMs),
  })

export const checkNode = changing((number: number) => api.cluster.checkNode(number), cluster)
