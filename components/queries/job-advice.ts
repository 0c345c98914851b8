import { queryOptions } from '@tanstack/react-query'
import { api, keys } from './queries'

/** What to change so that a failed job can succeed. The server knows its output and what the cluster has. */
export const jobAdviceQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'advice', id],
    queryFn: async ({ signal }) => (await api.jobs.get(id, {}, signal)).advice ?? null,
    staleTime: 60_000,
  })
