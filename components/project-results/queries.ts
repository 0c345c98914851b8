import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { isFinal } from '@/lib/contract/status'
import { encodeName } from '@/lib/contract/text/encode-name'
import type { CreateResultShare, Results } from '@/lib/project-results/contract'
import { api, changing, keys } from '../queries/queries'

const sharesKey = ['result-shares'] as const
const busyMs = 10_000
const quietMs = 60_000

/** What to read of the results of a project; null: the default. */
export interface ResultsRequest {
  search: string
  /** As the jobs printed them. */
  metrics: readonly string[] | null
  group: string | null
  pictures: boolean
}

/** The jobs of a project with the last values of metrics. It is repeated more often while one of them is not final. */
export const resultsQuery = (projectId: string, { search, metrics, group, pictures }: ResultsRequest) => {
  const query = {
    ...(search ? { q: search } : {}),
    ...(metrics ? { metrics: metrics.map(encodeName) } : {}),
    ...(group === null ? {} : { group_by: group }),
    ...(pictures ? { pictures } : {}),
  }
  return queryOptions({
    queryKey: [...keys.jobs, 'results', projectId, query],
    queryFn: ({ signal }): Promise<Results> => api.results.list(projectId, query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.rows.some(({ status }) => !isFinal(status)) ? busyMs : quietMs,
  })
}

/** The user's read-only links to results. */
export const resultSharesQuery = () =>
  queryOptions({ queryKey: sharesKey, queryFn: ({ signal }) => api.results.shares(signal) })

export const createResultShare = changing(
  ({ projectId, ...body }: CreateResultShare & { projectId: string }) => api.results.share(projectId, body),
  sharesKey,
)
export const revokeResultShare = changing((id: string) => api.results.revokeShare(id), sharesKey)
