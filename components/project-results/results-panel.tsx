import { useQuery } from '@tanstack/react-query'
import { ChartNoAxesColumn, Share2 } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { resultsQuery } from '@/components/project-results/queries'
import type { Project } from '@/lib/contract/access/projects'
import type { Results } from '@/lib/project-results/contract'
import { maxResultJobs, maxSharedResults } from '@/lib/project-results/contract-columns'
import { Loaded } from '../shell/load-failure'
import { updateSearchParams } from '../shell/update-search-params'
import { Button } from '../ui/button'
import { ButtonLink } from '../ui/button-link'
import { EmptyState } from '../ui/empty-state'
import { formatCount } from '../ui/format-number'
import { Link } from '../ui/link'
import { Pagination } from '../ui/pagination'
import { Panel, PanelHeader } from '../ui/panel'
import { SkeletonRows } from '../ui/skeleton'
import { GroupTable } from './group-table'
import { ResultsTable } from './results-table'
import { ResultsToolbar } from './results-toolbar'
import { type ResultsView, readResultsView, writeResultsView } from './results-view'
import { ShareResultsDialog } from './share-results-dialog'
import { pageOf, rowOfJob, sortRows } from './shown-row'

/** The usual width of a page has space for so many. */
const narrowMetrics = 4

interface ResultsPanelProps {
  project: Pick<Project, 'id' | 'project_id'>
  /** The signed-in user. */
  handle: string
  /** Whether the user sees the jobs of others. */
  everyone: boolean
}

/** The jobs of a project with the last values of their metrics. */
export function ResultsPanel({ project, handle, everyone }: ResultsPanelProps) {
  const view = readResultsView(new URLSearchParams(useSearchParams()))
  const { search, metrics, group, columns } = view
  const query = useQuery(
    resultsQuery(project.id, { search, metrics, group, pictures: columns.includes('pictures') }),
  )
  const change = (changes: Partial<ResultsView>) =>
    updateSearchParams(writeResultsView(new URLSearchParams(window.location.search), changes), 'replace')
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const own = (query.data?.rows ?? []).filter(({ user_id }) => user_id === handle)
  // A link has the jobs in the order of the table.
  const ownRows = sortRows(own.map(rowOfJob), view).map(({ key }) => key)
  const chosen = ownRows.filter((id) => selected.has(id))
  const isWide = (query.data?.metrics.length ?? 0) > narrowMetrics
  return (
    // Many columns get the width of the window instead of the usual width of pages.
    <div {...(isWide ? { 'data-wide': true } : {})}>
      <Panel>
        <PanelHeader
          title="Results"
          description="The last value of each metric that a job printed"
          actions={
            <>
              {chosen.length < Math.min(ownRows.length, maxSharedResults) ? (
                <Button
                  variant="ghost"
                  onClick={() => setSelected(new Set(ownRows.slice(0, maxSharedResults)))}
                >
                  Select my jobs
                </Button>
              ) : null}
              {chosen.length > 0 ? (
                <Button variant="ghost" onClick={() => setSelected(new Set())}>
                  Select none
                </Button>
              ) : null}
              {query.data ? (
                <ShareResultsDialog
                  project={project}
                  jobs={chosen}
                  results={query.data}
                  view={view}
                  trigger={<Button icon={Share2}>Share read-only…</Button>}
                />
              ) : null}
            </>
          }
        />
        <Loaded query={query} placeholder={<SkeletonRows rows={6} />} failureClass="m-4">
          {(results) =>
            results.rows.length === 0 && search === '' ? (
              <NoJobs projectId={project.project_id} />
            ) : (
              <>
                <ResultsToolbar results={results} view={view} everyone={everyone} onChange={change} />
                <Notes results={results} />
                <Rows
                  results={results}
                  view={view}
                  onSort={(sort, ascending) => change({ sort, ascending })}
                  selection={{
                    selected: new Set(chosen),
                    selectable: new Set(ownRows),
                    onSelect: (key, checked) =>
                      setSelected(
                        checked
                          ? new Set([...selected, key])
                          : new Set([...selected].filter((id) => id !== key)),
                      ),
                  }}
                />
              </>
            )
          }
        </Loaded>
      </Panel>
    </div>
  )
}

interface RowsProps {
  results: Results
  view: ResultsView
  onSort: (sort: string, ascending: boolean) => void
  selection: Parameters<typeof ResultsTable>[0]['selection'] & object
}

function Rows({ results, view, onSort, selection }: RowsProps) {
  const address = useSearchParams()
  const { metrics } = results
  const rows = sortRows(results.rows.map(rowOfJob), view)
  const page = pageOf(rows, view.page)
  const hrefOf = (number: number) => `?${writeResultsView(new URLSearchParams(address), { page: number })}`
  if (rows.length === 0)
    return <p className="px-4 py-6 text-center text-muted text-sm">No job matches the search.</p>
  return (
    <>
      {view.group === null ? null : (
        <GroupTable rows={rows} group={view.group} metrics={metrics} view={view} />
      )}
      <ResultsTable
        rows={page.rows}
        all={rows}
        columns={view.columns}
        metrics={metrics}
        group={view.group}
        users={new Set(results.rows.map(({ user_id }) => user_id)).size > 1}
        view={view}
        onSort={onSort}
        selection={selection}
      />
      {page.pages === 1 ? null : (
        <Pagination
          label="Results"
          previousHref={page.number === 1 ? undefined : hrefOf(page.number - 1)}
          nextHref={page.number === page.pages ? undefined : hrefOf(page.number + 1)}
        />
      )}
    </>
  )
}

function NoJobs({ projectId }: { projectId: string }) {
  return (
    <EmptyState
      icon={ChartNoAxesColumn}
      title="No jobs that you may see"
      action={<ButtonLink href="/submit">Submit a job</ButtonLink>}
    >
      Submit a job with <code className="font-mono">project_id: {projectId}</code> in its config. Print a line
      of JSON with numbers, such as <code className="font-mono">{'{"loss": 0.5}'}</code>: its last values
      appear here.
    </EmptyState>
  )
}

/** Says what is missing, and what to do about it. */
function Notes({ results: { rows, more, metric_names, group_keys } }: { results: Results }) {
  const notes = [
    more
      ? `Only the newest ${formatCount(maxResultJobs, 'job')} are shown. Search to find older ones.`
      : null,
    rows.length > 0 && metric_names.length === 0 ? (
      <>
        These jobs printed no metrics. A line of JSON with numbers, such as{' '}
        <code className="font-mono">{'{"loss": 0.5}'}</code>, is one:{' '}
        <Link href="/docs/user-guide/read-the-result#look-at-metrics">Look at metrics</Link>.
      </>
    ) : null,
    rows.length > 1 && group_keys.length === 0
      ? 'To group jobs, give them tags such as lr=0.1, or different values in their configs.'
      : null,
  ].filter((note) => note !== null)
  return notes.map((note, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the notes have no state
    <p key={at} className="border-b px-4 py-2 text-muted text-sm">
      {note}
    </p>
  ))
}
