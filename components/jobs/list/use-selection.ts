import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { matchingJobsQuery } from '@/components/queries/job-search'
import type { JobFilters } from '@/lib/contract/job-queries'
import type { JobSummary } from '@/lib/contract/jobs'
import { toast } from '../../ui/toaster'
import { searchOf } from './job-query'

/** The selected jobs: of the page, or of all pages of the search. A job that leaves them is no longer selected. */
export function useSelection(query: JobFilters, jobs: readonly JobSummary[]) {
  const client = useQueryClient()
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const search = searchOf(query)
  const key = JSON.stringify(search)
  /** The search of which jobs on other pages are selected too. */
  const [beyondPage, setBeyondPage] = useState<string | null>(null)
  const isBeyond = beyondPage === key
  const matching = useQuery({ ...matchingJobsQuery(search), enabled: isBeyond })
  const select = useCallback((id: string, selected: boolean) => {
    setIds((before) => {
      const next = new Set(before)
      if (selected) next.add(id)
      else next.delete(id)
      return next
    })
  }, [])
  const selectMatching = async () => {
    try {
      const found = await client.fetchQuery({ ...matchingJobsQuery(search), staleTime: 0 })
      setIds(new Set(found.map(({ job_id }) => job_id)))
      setBeyondPage(key)
    } catch (error) {
      toast.error('The jobs could not be selected.', {
        description: error instanceof Error ? error.message : 'Try again.',
      })
    }
  }
  const known = isBeyond && matching.data ? [...jobs, ...without(jobs, matching.data)] : jobs
  return {
    ids,
    jobs: known.filter(({ job_id }) => ids.has(job_id)),
    select,
    toggle: (id: string) => select(id, !ids.has(id)),
    selectPage: () => setIds(new Set(jobs.map(({ job_id }) => job_id))),
    selectMatching,
    clear: () => {
      setIds(new Set())
      setBeyondPage(null)
    },
  }
}

/** The page is read more often than the jobs of all pages. */
function without(page: readonly JobSummary[], jobs: readonly JobSummary[]): JobSummary[] {
  const onPage = new Set(page.map(({ job_id }) => job_id))
  return jobs.filter(({ job_id }) => !onPage.has(job_id))
}
