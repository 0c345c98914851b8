'use client'

import { useSearchParams } from 'next/navigation'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { SharedResults } from '@/lib/project-results/contract'
import { SharedPage } from '../shares/shared-page'
import { updateSearchParams } from '../shell/update-search-params'
import { formatCount } from '../ui/format-number'
import { Pagination } from '../ui/pagination'
import { Panel } from '../ui/panel'
import { BestMenu } from './best-menu'
import { GroupTable } from './group-table'
import { ResultsTable } from './results-table'
import { type ResultsView, readResultsView, writeResultsView } from './results-view'
import { pageOf, rowOfLink, sortRows } from './shown-row'

interface SharedResultsViewProps {
  results: SharedResults
  /** The token of the link. */
  token: string
}

/** Results for people without an account. The page has no actions but how the table looks. */
export function SharedResultsView({ results, token }: SharedResultsViewProps) {
  const { title, columns, metrics, group_by: group, expires_at } = results
  const address = new URLSearchParams(useSearchParams())
  const view = readResultsView(address)
  const change = (changes: Partial<ResultsView>) =>
    updateSearchParams(writeResultsView(new URLSearchParams(window.location.search), changes), 'replace')
  // Without another choice, the jobs are in the order of the link.
  const given = results.rows.map((row) => rowOfLink(row, token))
  const rows = address.has('order') ? sortRows(given, view) : given
  const shownView = address.has('order') ? view : { ...view, sort: '' }
  const page = pageOf(rows, view.page)
  const hrefOf = (number: number) => `?${writeResultsView(address, { page: number })}`
  return (
    <SharedPage expiresAt={expires_at} className="max-w-6xl gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h1 className="wrap-anywhere font-semibold text-xl tracking-tight">
          {title === null ? 'Results' : visibleText(title, 100)}
        </h1>
        <BestMenu metrics={metrics} view={view} onBest={(best) => change({ best })} />
      </div>
      {rows.length === 0 ? (
        <p className="text-muted text-sm">The jobs of this link were deleted.</p>
      ) : (
        <Panel>
          {group === null ? null : <GroupTable rows={rows} group={group} metrics={metrics} view={view} />}
          <ResultsTable
            rows={page.rows}
            all={rows}
            columns={columns}
            metrics={metrics}
            group={group}
            users={false}
            view={shownView}
            onSort={(sort, ascending) => change({ sort, ascending })}
          />
          {page.pages === 1 ? null : (
            <Pagination
              label="Results"
              previousHref={page.number === 1 ? undefined : hrefOf(page.number - 1)}
              nextHref={page.number === page.pages ? undefined : hrefOf(page.number + 1)}
            />
          )}
        </Panel>
      )}
      <p className="text-subtle text-xs">{formatCount(rows.length, 'job')}</p>
    </SharedPage>
  )
}
