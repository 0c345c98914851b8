import { useQuery } from '@tanstack/react-query'
import { jobCountQuery } from '@/components/queries/job-search'
import { columnLabel } from '@/lib/contract/job-columns'
import type { JobCount, JobFilters } from '@/lib/contract/job-queries'
import type { JobSummary } from '@/lib/contract/jobs'
import type { Page } from '@/lib/http/client/transport'
import { formatCount, formatNumber } from '../../ui/format-number'
import { readColumns } from './columns'
import { searchOf, sortOfQuery } from './job-query'

interface ListNoteProps {
  query: JobFilters
  count: JobCount | null
}

/** Says how many jobs a list has, and which ones its order leaves out. */
export function ListNote({ query, count }: ListNoteProps) {
  const [column] = readColumns(sortOfQuery(query)?.replace(/^-/, '') ?? null) ?? []
  return (
    <p className="flex min-h-7 flex-wrap gap-x-3 border-b bg-sunken px-4 py-1.5 text-muted text-xs tabular-nums">
      <span role="status">{count ? formatJobCount(count) : null}</span>
      {column === undefined || column === 'submitted' ? null : (
        <span>Sorted by {columnLabel(column)}. You see only ended jobs that have this value.</span>
      )}
    </p>
  )
}

/**
 * The number of jobs of a list; null: not known yet. A list of one page needs no request.
 * @param page null while it belongs to an earlier query
 */
export function useJobCount(query: JobFilters, page: Page<JobSummary> | null): JobCount | null {
  const isWhole = page !== null && query.cursor === undefined && page.next === null
  const { data } = useQuery({ ...jobCountQuery(searchOf(query)), enabled: page !== null && !isWhole })
  if (isWhole) return { jobs: page.items.length, more: false }
  return data ?? null
}

/** "37 jobs", or "1,000+ jobs" where gpuq counts no further. */
export function formatJobCount({ jobs, more }: JobCount): string {
  return more ? `${formatNumber(jobs)}+ jobs` : formatCount(jobs, 'job')
}
