import { queryOptions } from '@tanstack/react-query'
import { api, keys } from './queries'

/** What a submission of a config would do. A change of the user's jobs makes it stale. */
export const dryRunQuery = (config: string) =>
  queryOptions({
    queryKey: [...keys.jobs, 'dry-run', config],
    queryFn: ({ signal }) => api.jobs.dryRun({ config }, signal),
    staleTime: 10_000,
    retry: false,
  })
