import { queryOptions } from '@tanstack/react-query'
import type { JobDetail } from '@/lib/contract/jobs'
import { api, keys } from './queries'

/**
 * What to change so that a failed job can succeed, or a waiting one can start: the server knows its output and what the cluster has.
 * The key has the reason, because each reason has its own advice.
 */
export const jobAdviceQuery = ({ job_id, status, reason_text }: JobDetail) =>
  queryOptions({
    queryKey: [...keys.jobs, 'advice', job_id, status, reason_text],
    queryFn: async ({ signal }) => {
      const { advice = null, nearest = null } = await api.jobs.get(job_id, {}, signal)
      return { advice, nearest }
    },
    staleTime: 60_000,
  })
