import type { QueryKey } from '@tanstack/react-query'
import { api, keys } from './queries'

/** A query for what a submission of a config would do. */
export interface DryRunQuery<Answer> {
  queryKey: QueryKey
  queryFn: (context: { signal: AbortSignal }) => Promise<Answer>
  staleTime: number
  retry: false
}

/** Makes the query of a config. A change of the resource makes its answer stale. */
export const dryRunOf =
  <Answer>(resource: QueryKey, ask: (config: string, signal: AbortSignal) => Promise<Answer>) =>
  (config: string): DryRunQuery<Answer> => ({
    queryKey: [...resource, 'dry-run', config],
    queryFn: ({ signal }) => ask(config, signal),
    staleTime: 10_000,
    retry: false,
  })

export const dryRunQuery = dryRunOf(keys.jobs, (config, signal) => api.jobs.dryRun({ config }, signal))
