import { useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import { onDemand, useOnDemand } from '@/components/ui/on-demand'
import type { JobDetail } from '@/lib/contract/jobs'
import type { JobGroup } from '../metrics/group-lines'
import type { ConfigRow } from './config-rows'
import { canGroup, groupChoices, groupJobs } from './group-jobs'

/** The parser of YAML is large. */
const configReader = onDemand(() => import('./config-rows'))

export interface Grouping {
  /** The choice of the address; null: the jobs are not grouped. */
  by: string | null
  choices: readonly string[]
  groups: readonly JobGroup[] | null
  /** The keys of the configs; null: they are not read yet. */
  rows: readonly ConfigRow[] | null
  /** The groups of the address are not known yet. */
  pending: boolean
}

/**
 * Groups compared jobs as the address says. The result stays the same until the jobs change.
 * @param configs as YAML; null: not loaded yet
 */
export function useGroups(details: readonly JobDetail[], configs: readonly (string | null)[]): Grouping {
  const by = useSearchParams().get('group')
  const reader = useOnDemand(configReader, true)
  const key = JSON.stringify(details.map(({ job_id, tags }, at) => [job_id, tags, configs[at] ?? null]))
  return useMemo(() => {
    const jobs = JSON.parse(key) as [string, string[], string | null][]
    const known = jobs.flatMap(([, , config]) => config ?? [])
    if (!reader || known.length < jobs.length)
      return { by, choices: [], groups: null, rows: null, pending: by !== null }
    const grouped = jobs.map(([, tags], at) => ({ tags, config: reader.readConfig(known[at] ?? '') }))
    const chosen = by !== null && canGroup(grouped, by) ? by : null
    const ids = jobs.map(([id]) => id)
    return {
      by: chosen,
      choices: groupChoices(grouped, chosen),
      groups: chosen === null ? null : groupJobs(ids, grouped, chosen),
      rows: reader.compareConfigs(known),
      pending: false,
    }
  }, [by, reader, key])
}
