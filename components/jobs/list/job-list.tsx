'use client'

import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useCallback } from 'react'
import { jobsQuery } from '@/components/queries/queries'
import type { JobFilters } from '@/lib/contract/job-queries'
import type { JobSummary } from '@/lib/contract/jobs'
import { parseSearch } from '@/lib/contract/search/parse-search'
import { describeSearchProblem } from '@/lib/contract/search/search-reader'
import { describeUnknownKeys } from '@/lib/contract/search/unknown-keys'
import type { Page } from '@/lib/http/client/transport'
import { Approvals, ofJobList } from '../../features'
import { LoadFailure } from '../../shell/load-failure'
import { updateSearchParams } from '../../shell/update-search-params'
import { cn } from '../../ui/class-names'
import { EmptyState } from '../../ui/empty-state'
import { PageHeader } from '../../ui/page-header'
import { Pagination } from '../../ui/pagination'
import { Panel } from '../../ui/panel'
import { Skeleton, SkeletonRows } from '../../ui/skeleton'
import { defaultColumns, formatColumns } from './columns'
import { JobFilters as Filters } from './job-filters'
import { sortOfQuery, toJobQuery, withCursor, withSort } from './job-query'
import { JobTable } from './job-table'
import { ListNote, useJobCount } from './list-note'
import { useDensity } from './list-settings'
import { useColumns } from './use-columns'
import { useListKeys } from './use-list-keys'
import { useSelection } from './use-selection'
import { ViewMenu } from './view-menu'

/** Only users without a job see it. */
const EmptyJobs = dynamic(() => import('./empty-jobs').then((module) => module.EmptyJobs), {
  loading: () => <Skeleton className="m-4 h-96" />,
})

/** Loaded when the first job is selected. */
const BulkBar = dynamic(() => import('./bulk-bar').then((module) => module.BulkBar), { ssr: false })

/** The jobs page: the user's own jobs, or all jobs for admins. */
export function JobList({ everyone = false }: { everyone?: boolean }) {
  const params = new URLSearchParams(useSearchParams())
  const query = toJobQuery(params, { everyone })
  // The jobs of several users, which the column of users tells apart.
  const ofUsers = everyone || namesUsers(query.q)
  const { columns, setColumns } = useColumns(ofUsers)
  const [density, setDensity] = useDensity()
  const sort = sortOfQuery(query)
  const onSort = useCallback(
    (chosen: string | null) =>
      updateSearchParams(withSort(new URLSearchParams(window.location.search), chosen), 'push'),
    [],
  )
  return (
    <>
      <PageHeader
        title={everyone ? 'All jobs' : 'Jobs'}
        {...(everyone ? { description: 'The jobs of every user.' } : {})}
      />
      <Approvals everyone={everyone} />
      <ofJobList.ActiveGroups everyone={everyone} />
      <Panel>
        <Filters everyone={everyone}>
          <ofJobList.SaveView
            list={{ all: everyone, q: query.q ?? '', sort, columns: params.get('columns') }}
            columns={columns.join() === defaultColumns(ofUsers).join() ? null : formatColumns(columns)}
          />
          <ViewMenu
            everyone={everyone}
            columns={columns}
            onColumns={setColumns}
            density={density}
            onDensity={setDensity}
            sort={sort}
            onSort={onSort}
          />
        </Filters>
        <Jobs query={query} params={params} table={{ columns, density, sort, onSort }} />
      </Panel>
    </>
  )
}

function namesUsers(search = ''): boolean {
  const parsed = parseSearch(search)
  return parsed.ok && parsed.terms.some(({ key }) => key === 'user')
}

interface JobsProps {
  query: JobFilters
  params: URLSearchParams
  table: Pick<Parameters<typeof JobTable>[0], 'columns' | 'density' | 'sort' | 'onSort'>
}

function Jobs({ query, params, table }: JobsProps) {
  const parsed = parseSearch(query.q ?? '')
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...jobsQuery(query),
    enabled: parsed.ok,
  })
  const jobs = data?.items ?? []
  const page = isPlaceholderData ? null : (data ?? null)
  const count = useJobCount(query, page)
  const selection = useSelection(query, jobs)
  useListKeys(jobs, selection.toggle)
  if (!parsed.ok)
    return (
      <EmptyState icon={SearchX} title="The search has a mistake">
        {describeSearchProblem(parsed.problem)}
      </EmptyState>
    )
  if (isPending) return <SkeletonRows rows={10} />
  if (!data) return <LoadFailure className="m-4" error={error} onRetry={() => void refetch()} />
  if (jobs.length === 0) {
    if (!query.q && sortOfQuery(query) === null && !query.cursor) return <EmptyJobs />
    return (
      <>
        <ListNote query={query} count={count} />
        <EmptyState icon={SearchX} title="No matching jobs">
          {describeUnknownKeys(query.q ?? '')} Change the search above, or clear it.
        </EmptyState>
      </>
    )
  }
  return (
    <>
      {/* Dimmed while it shows the result of the previous query. */}
      <div
        aria-busy={isPlaceholderData}
        className={cn('transition-opacity', isPlaceholderData && 'opacity-60')}
      >
        <ListNote query={query} count={count} />
        <JobTable jobs={jobs} selected={selection.ids} onSelect={selection.select} {...table} />
        <JobPages page={data} cursor={query.cursor ?? null} params={params} />
      </div>
      {selection.jobs.length > 0 ? (
        <BulkBar
          jobs={selection.jobs}
          listed={jobs}
          count={count}
          onSelectPage={selection.selectPage}
          onSelectMatching={selection.selectMatching}
          onClear={selection.clear}
        />
      ) : null}
    </>
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
