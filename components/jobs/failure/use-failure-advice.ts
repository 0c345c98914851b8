import { useQuery } from '@tanstack/react-query'
import { environmentsQuery } from '@/components/queries/queries'
import { adviseFailure, type FailureAdvice, needsEnvironments } from '@/lib/contract/failure/advise-failure'
import type { JobDetail } from '@/lib/contract/jobs'

/** What to change so that a failed job can succeed; null: unknown, or not known yet. */
export function useFailureAdvice(
  job: JobDetail,
  exception: string | null,
  lines: readonly string[],
): FailureAdvice | null {
  const enabled = job.reason === 'exit_code' && needsEnvironments(exception, lines)
  const { data: environments, isPending } = useQuery({ ...environmentsQuery(), enabled })
  return enabled && isPending ? null : adviseFailure({ job, exception, lines, environments })
}
