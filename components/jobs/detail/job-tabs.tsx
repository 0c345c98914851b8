import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { api } from '@/components/queries/queries'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { ofJob } from '../../features'
import { Reconnecting } from '../../shell/reconnecting'
import { updateSearchParams } from '../../shell/update-search-params'
import { Skeleton } from '../../ui/skeleton'
import { Tabs } from '../../ui/tabs'
import { OutputViewer } from '../output/output-viewer'
import type { JobAccess } from './job-access'
import type { JobStream } from './use-job-stream'

/** Most visits open only the output. The other tabs are loaded when they are opened. */
const DetailsTab = dynamic(() => import('./details-tab').then((module) => module.DetailsTab), {
  loading: TabSkeleton,
})
const MetricsTab = dynamic(() => import('../metrics/metrics-tab').then((module) => module.MetricsTab), {
  loading: TabSkeleton,
})
const ResultViewer = dynamic(() => import('../result/result-viewer').then((module) => module.ResultViewer), {
  loading: TabSkeleton,
})
const SourceTab = dynamic(() => import('./source-tab').then((module) => module.SourceTab), {
  loading: TabSkeleton,
})
const TerminalTab = dynamic(() => import('../terminal/terminal-tab').then((module) => module.TerminalTab), {
  loading: TabSkeleton,
})

function TabSkeleton() {
  return <Skeleton className="h-64" />
}

const tabNames = ['terminal', 'output', 'result', 'metrics', 'files', 'source', 'details'] as const
type TabName = (typeof tabNames)[number]

/** The open tab is part of the address, so that users can link to it. A job with a terminal opens with it. */
export function useTab({ terminal }: JobDetail): [TabName, (tab: TabName) => void] {
  const params = useSearchParams()
  const first = terminal ? 'terminal' : 'output'
  const named = tabNames.find((name) => name === params.get('tab'))
  const tab = named === undefined || (named === 'terminal' && !terminal) ? first : named
  const open = (next: TabName) => {
    const search = new URLSearchParams(params)
    // The line that a link named.
    for (const name of ['file', 'line']) search.delete(name)
    if (next === first) search.delete('tab')
    else search.set('tab', next)
    updateSearchParams(search, 'replace')
  }
  return [tab, open]
}

/** The line of a source file that the address names. */
function useSourceLine(): { file: string; line: number } | null {
  const params = useSearchParams()
  const file = params.get('file')
  const line = Number(params.get('line'))
  return file === null || !Number.isSafeInteger(line) || line < 1 ? null : { file, line }
}

/** The empty state before the first output. */
function waitingTexts({ status, placed }: JobDetail) {
  if (isFinal(status) || status === 'running') return {}
  return {
    emptyTitle: placed ? 'The job is starting' : 'The job is waiting',
    emptyText: 'Its output appears here.',
  }
}

/** Whether a running job may have output that the page does not have yet. */
function isLoading({ status }: JobDetail, { loaded }: JobStream): boolean {
  return status === 'running' && !loaded
}

interface JobTabsProps {
  job: JobDetail
  tab: TabName
  onTab: (tab: TabName) => void
  stream: JobStream
  /** The line at which the output opens, once it is known. */
  openAt: number | null
  access: JobAccess
  /** In a wide window, the page shows the curves beside the tabs. */
  hasColumn: boolean
}

/** The output of a job, its results, files, source and details. */
export function JobTabs({ job, tab, onTab, stream, openAt, access, hasColumn }: JobTabsProps) {
  const sourceLine = useSourceLine()
  const downloads =
    job.result_file === null
      ? []
      : [
          { label: 'JSONL file', href: api.jobs.downloadUrl(job.job_id, 'jsonl') },
          { label: 'Plain text', href: api.jobs.downloadUrl(job.job_id, 'text') },
        ]
  return (
    <Tabs
      label="Job"
      className="flex-1"
      sticky
      value={tab}
      onValueChange={onTab}
      actions={<Reconnecting lost={stream.connection === 'lost'} />}
      tabs={[
        ...(job.terminal
          ? [
              {
                value: 'terminal' as const,
                label: 'Terminal',
                content: <TerminalTab job={job} stream={stream} access={access} />,
              },
            ]
          : []),
        {
          value: 'output',
          label: 'Output',
          content: (
            <OutputViewer
              store={stream.store}
              live={!isFinal(job.status)}
              loading={isFinal(job.status) ? stream.connection !== 'ended' : isLoading(job, stream)}
              openAt={openAt}
              downloads={downloads}
              {...(stream.connection === 'ended' ? {} : waitingTexts(job))}
            />
          ),
        },
        {
          value: 'result',
          label: 'Result',
          count: stream.results.length,
          content: (
            <ResultViewer
              results={stream.results}
              live={!isFinal(job.status) || stream.connection !== 'ended'}
            />
          ),
        },
        { value: 'metrics', label: 'Metrics', content: <MetricsTab job={job} /> },
        {
          value: 'files',
          label: 'Files',
          content: (
            <div className="flex flex-col gap-4">
              <ofJob.Artifacts id={job.job_id} job={job} />
              <ofJob.WorkingFiles job={job} />
            </div>
          ),
        },
        { value: 'source', label: 'Source', content: <SourceTab id={job.job_id} at={sourceLine} /> },
        {
          value: 'details',
          label: 'Details',
          content: <DetailsTab job={job} series={stream.gpus} hasColumn={hasColumn} />,
        },
      ]}
    />
  )
}
