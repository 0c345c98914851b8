import { queryOptions } from '@tanstack/react-query'
import type { JobDetail } from '@/lib/contract/jobs'
import { api, keys } from './queries'

/**
 * Why a job failed, or what to change so that a waiting one can start: the server knows its output and what the cluster has. The key has
 * the reason, because each reason has its own answer.
 */
export const jobDiagnosisQuery = ({ job_id, status, reason_text }: JobDetail) =>
  queryOptions({
    queryKey: [...keys.jobs, 'diagnosis', job_id, status, reason_text],
    queryFn: async ({ signal }) => {
      const { diagnosis = null, nearest = null } = await api.jobs.get(job_id, {}, signal)
      return { diagnosis, nearest }
    },
    staleTime: 60_000,
  })
