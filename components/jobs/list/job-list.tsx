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
import { noteNextPage, previousCursor } from './cursor-history'
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
  if (data.items.length === 0) return <NoJobs filtered={hasFilters(query) || Boolean(query.cursor)} />
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

function NoJobs({ filtered }: { filtered: boolean }) {
  if (!filtered) return <EmptyJobs />
  return (
    <EmptyState icon={SearchX} title="No matching jobs">
      Change the filters above, or clear them.
    </EmptyState>
  )
}

interface JobPagesProps {
  page: Page<JobSummary>
  cursor: string | null
  params: URLSearchParams
}

function JobPages({ page, cursor, params }: JobPagesProps) {
  if (page.next === null && cursor === null) return null
  noteNextPage(page.next, cursor)
  const hrefOf = (to: string | null) => `?${withCursor(params, to)}`
  return (
    <Pagination
      label="Jobs"
      previousHref={cursor === null ? undefined : hrefOf(previousCursor(cursor))}
      nextHref={page.next === null ? undefined : hrefOf(page.next)}
    />
  )
}
