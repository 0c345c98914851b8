import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { JobFilters, SuggestionsQuery } from '@/lib/contract/job-queries'
import { maxJobsTogether } from '@/lib/contract/jobs-together'
import { api, keys } from './queries'

const repeatMs = 10_000

/** A list of jobs without its pages. */
export type JobSearch = Omit<JobFilters, 'limit' | 'cursor'>

/** The number of jobs of a list, up to a limit. */
export const jobCountQuery = (search: JobSearch) =>
  queryOptions({
    queryKey: [...keys.jobs, 'count', search],
    queryFn: ({ signal }) => api.jobs.count(search, signal),
    refetchInterval: repeatMs,
  })

/** The first jobs of a list, as many as one action on several jobs may have. */
export const matchingJobsQuery = (search: JobSearch) =>
  queryOptions({
    queryKey: [...keys.jobs, 'matching', search],
    queryFn: async ({ signal }) => (await api.jobs.list({ ...search, limit: maxJobsTogether }, signal)).items,
    refetchInterval: repeatMs,
  })

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
