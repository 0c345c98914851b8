import { useQuery } from '@tanstack/react-query'
import { ownLimitsQuery } from '@/components/queries/queries'
import type { ApiLimits } from '@/lib/contract/access/limits'
import { formatNumber } from '../../ui/format-number'
import { projectOf } from './draft'

/** Shows the limits that apply to the user in the project of the config. */
export function OwnLimits({ config }: { config: string }) {
  const { data } = useQuery(ownLimitsQuery(projectOf(config)))
  const limits = data ? describeLimits(data) : []
  if (limits.length === 0) return null
  return (
    <p className="mt-4 text-muted text-sm">
      Your limits in this project: {limits.join(' · ')}. An admin can change them.
    </p>
  )
}

/** Describes the limits that are set. */
export function describeLimits(limits: ApiLimits): string[] {
  const described = (name: string, value: number | null) =>
    value === null ? [] : [`${name} ${formatNumber(value)}`]
  return [
    ...described('submissions per minute', limits.submissions_per_minute),
    ...described('active jobs', limits.max_active_jobs),
    ...described('waiting jobs', limits.max_waiting_jobs),
    ...described('highest priority', limits.max_priority),
    ...(limits.pools === null ? [] : [`pools ${limits.pools.join(', ')}`]),
    ...described('seconds of run time', limits.max_time),
    ...described('GPUs of a job', limits.max_gpus),
    ...described('GPUs in use at once', limits.max_concurrent_gpus),
    ...described('CPU cores without a GPU', limits.max_cpu),
    ...described('GB of memory without a GPU', limits.max_memory_gb),
  ]
}
