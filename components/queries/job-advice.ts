import { queryOptions } from '@tanstack/react-query'
import { api, keys } from './queries'

/** What to change so that a failed job can succeed, or a waiting one can start. The server knows its output and what the cluster has. */
export const jobAdviceQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'advice', id],
    queryFn: async ({ signal }) => {
      const { advice = null, nearest = null } = await api.jobs.get(id, {}, signal)
      return { advice, nearest }
    },
    staleTime: 60_000,
  })
