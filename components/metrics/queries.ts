import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { encodeName } from '@/lib/contract/text/encode-name'
import { ProblemError } from '@/lib/http/client/problem'
import type { JobMetrics, MetricsQuery } from '@/lib/metrics/contract'
import type { JobApi } from '../queries/job-api'
import { keys } from '../queries/queries'

const liveMs = 2000
/** The server reads long output in several requests. */
const incompleteMs = 250

/** What to read of a job's metrics. Its names are as the job printed them. */
export type MetricsRequest = Partial<
  Pick<MetricsQuery, 'search' | 'limit' | 'x' | 'from' | 'to' | 'points' | 'names'>
>

/** The metrics of a job, repeated while it runs. */
export const jobMetricsQuery = (jobApi: JobApi, id: string, request: MetricsRequest, live: boolean) =>
  queryOptions({
    // With `live`, because what was printed last is read after the end.
    queryKey: [...keys.jobs, 'metrics', id, request, live],
    queryFn: ({ signal }) =>
      jobApi.metrics(
        id,
        { ...request, ...(request.names ? { names: request.names.map(encodeName) } : {}) },
        signal,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data, error } }) => (isGone(error) ? false : nextReadMs(data, live)),
    staleTime: live ? 0 : 60_000,
  })

/** The job was deleted, or the link to it has ended. */
function isGone(error: Error | null): boolean {
  return error instanceof ProblemError && error.status === 404
}

function nextReadMs(data: JobMetrics | undefined, live: boolean): number | false {
  if (data && !data.complete) return incompleteMs
  return live ? liveMs : false
}
