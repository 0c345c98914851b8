import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { api } from '@/components/queries/queries'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { jobTabs, ofJob } from '../../features'
import { Reconnecting } from '../../shell/reconnecting'
import { updateSearchParams } from '../../shell/update-search-params'
import { Skeleton } from '../../ui/skeleton'
import { type Tab, Tabs } from '../../ui/tabs'
import { OutputViewer } from '../output/output-viewer'
import type { JobAccess } from './job-access'
import type { FeatureTabProps } from './job-tab'
import type { JobStream } from './use-job-stream'

/** Most visits open only the output. The other tabs are loaded when they are opened. */
const DetailsTab = dynamic(() => import('./details-tab').then((module) => module.DetailsTab), {
  loading: TabSkeleton,
})
const ResultViewer = dynamic(() => import('../result/result-viewer').then((module) => module.ResultViewer), {
  loading: TabSkeleton,
})
const SourceTab = dynamic(() => import('./source-tab').then((module) => module.SourceTab), {
  loading: TabSkeleton,
})

function TabSkeleton() {
  return <Skeleton className="h-64" />
}

const kernelTabs = ['output', 'result', 'files', 'source', 'details'] as const
type KernelTab = (typeof kernelTabs)[number]
type TabName = KernelTab | (typeof jobTabs)[number]['value']

/** What features add before a tab. */
function featureTabs(job: JobDetail, before: KernelTab) {
  return jobTabs.filter((tab) => tab.before === before && tab.isShown(job))
}

/** The tabs of the page, with those of features. */
function withFeatures(props: FeatureTabProps, tabs: readonly Tab<KernelTab>[]): Tab<TabName>[] {
  return tabs.flatMap((tab) => [
    ...featureTabs(props.job, tab.value).map(({ value, label, Content }) => ({
      value,
      label,
      content: <Content {...props} />,
    })),
    tab,
  ])
}

/** The open tab is part of the address, so that users can link to it. */
export function useTab(job: JobDetail): [TabName, (tab: TabName) => void] {
  const params = useSearchParams()
  const names = kernelTabs.flatMap((name) => [...featureTabs(job, name).map(({ value }) => value), name])
  const [first = 'output'] = names
  const tab = names.find((name) => name === params.get('tab')) ?? first
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
      tabs={withFeatures({ job, stream, access }, [
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
      ])}
    />
  )
}
