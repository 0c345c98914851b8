import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { SuggestionsQuery } from '@/lib/contract/job-queries'
import { api, keys } from './queries'

/** Values that a search can name at the caret; null: none are needed. */
export const suggestionsQuery = (query: SuggestionsQuery | null) =>
  queryOptions({
    queryKey: [...keys.jobs, 'suggestions', query],
    queryFn: ({ signal }) => (query ? api.jobs.suggest(query, signal) : []),
    enabled: query !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
