import { useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import { onDemand, useOnDemand } from '@/components/ui/on-demand'
import type { JobDetail } from '@/lib/contract/jobs'
import type { JobGroups, TaggedJob } from './group-jobs'

/** It has the parser of YAML, which is large. */
const groupReader = onDemand(() => import('./group-jobs'))

/**
 * The groups of compared jobs that the address names; null: not known yet. They stay the same until the jobs change.
 * @param configs as YAML; null: not loaded yet
 */
export function useGroups(
  details: readonly JobDetail[],
  configs: readonly (string | null)[],
): JobGroups | null {
  const group = useSearchParams().get('group')
  // The choice of a group needs several jobs.
  const by = details.length > 1 ? group : null
  const reader = useOnDemand(groupReader, true)
  const jobs = details.flatMap(({ job_id, tags }, at): TaggedJob[] => {
    const config = configs[at] ?? null
    return config === null ? [] : [{ id: job_id, tags, config }]
  })
  const key = jobs.length < details.length ? null : JSON.stringify(jobs)
  return useMemo(
    () => (reader && key !== null ? reader.readGroups(JSON.parse(key) as TaggedJob[], by) : null),
    [by, reader, key],
  )
}
