'use client'

import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { jobsQuery } from '@/components/queries/queries'
import type { JobSummary } from '@/lib/contract/jobs'
import type { Page } from '@/lib/http/client/transport'
import { LoadFailure } from '../../shell/load-failure'
import { cn } from '../../ui/class-names'
import { EmptyState } from '../../ui/empty-state'
import { PageHeader } from '../../ui/page-header'
import { Pagination } from '../../ui/pagination'
import { Panel } from '../../ui/panel'
import { SkeletonRows } from '../../ui/skeleton'
import { EmptyJobs } from './empty-jobs'
import { JobFilters } from './job-filters'
import { hasFilters, toJobQuery, withCursor } from './job-query'
import { JobTable } from './job-table'

/** The jobs page: the user's own jobs, or all jobs for admins. */
export function JobList({ everyone = false }: { everyone?: boolean }) {
  return (
    <>
      <PageHeader
        title={everyone ? 'All jobs' : 'Jobs'}
        {...(everyone ? { description: 'The jobs of every user, newest first.' } : {})}
      />
      <Panel>
        <JobFilters everyone={everyone} />
        <Jobs everyone={everyone} />
      </Panel>
    </>
  )
}

function Jobs({ everyone }: { everyone: boolean }) {
  const params = useSearchParams()
  const query = toJobQuery(params, { everyone })
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(jobsQuery(query))
  if (isPending) return <SkeletonRows rows={10} />
  if (!data) return <LoadFailure className="m-4" error={error} onRetry={() => void refetch()} />
  if (data.items.length === 0) {
    if (!hasFilters(query) && !query.cursor) return <EmptyJobs />
    return (
      <EmptyState icon={SearchX} title="No matching jobs">
        Change the filters above, or clear them.
      </EmptyState>
    )
  }
  return (
    // Dimmed while it shows the result of the previous query.
    <div
      aria-busy={isPlaceholderData}
      className={cn('transition-opacity', isPlaceholderData && 'opacity-60')}
    >
      <JobTable jobs={data.items} everyone={everyone} />
      <JobPages page={data} cursor={query.cursor ?? null} params={new URLSearchParams(params)} />
    </div>
  )
}

/**
 * The cursor of the page before a page, by that page's cursor. Cursors lead only forward, so the tab remembers the way
 * back. A page opened by a link has no entry and leads back to the first page.
 */
const previousCursors = new Map<string, string | null>()

interface JobPagesProps {
  page: Page<JobSummary>
  cursor: string | null
  params: URLSearchParams
}

function JobPages({ page, cursor, params }: JobPagesProps) {
  if (page.next === null && cursor === null) return null
  if (page.next !== null) previousCursors.set(page.next, cursor)
  const hrefOf = (to: string | null) => `?${withCursor(params, to)}`
  return (
    <Pagination
      label="Jobs"
      previousHref={cursor === null ? undefined : hrefOf(previousCursors.get(cursor) ?? null)}
      nextHref={page.next === null ? undefined : hrefOf(page.next)}
    />
  )
}
