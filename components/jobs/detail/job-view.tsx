'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { api, jobQuery } from '@/components/queries/queries'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { LoadFailure } from '../../shell/load-failure'
import { Reconnecting } from '../../shell/reconnecting'
import { updateSearchParams } from '../../shell/update-search-params'
import { Badge } from '../../ui/badge'
import { Link } from '../../ui/link'
import { PageHeader } from '../../ui/page-header'
import { Skeleton } from '../../ui/skeleton'
import { Tabs } from '../../ui/tabs'
import { ArtifactsTab } from '../artifacts/artifacts-tab'
import { JobStatus, jobStateOf } from '../job-status'
import { jobTitle } from '../job-title'
import { OutputViewer } from '../output/output-viewer'
import { ResultViewer } from '../result/result-viewer'
import { TerminalTab } from '../terminal/terminal-tab'
import { DetailsTab } from './details-tab'
import { JobActions } from './job-actions'
import { JobBucket } from './job-bucket'
import { JobNote } from './job-note'
import { JobNotice } from './job-notice'
import { JobOverview } from './job-overview'
import { JobProvision } from './job-provision'
import { type JobStream, useJobStream } from './use-job-stream'

/** Most visits do not open it, and its editor is large. */
const SourceTab = dynamic(() => import('./source-tab').then((module) => module.SourceTab), {
  loading: () => <Skeleton className="h-64" />,
})

/** The page of one job, live. */
export function JobView({ id, ownHandle }: { id: string; ownHandle: string }) {
  const { data, error, isPending, refetch } = useQuery(jobQuery(id))
  const stream = useJobStream(id)
  if (isPending) return <JobSkeleton />
  if (!data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  const job = currentPlacement(data)
  const foreign = job.user_id !== ownHandle
  return (
    <>
      <PageHeader
        path={[foreign ? { label: 'All jobs', href: '/admin/jobs' } : { label: 'Jobs', href: '/jobs' }]}
        title={job.name ? jobTitle(job) : <span className="font-mono">{jobTitle(job)}</span>}
        meta={
          <>
            <JobStatus state={jobStateOf(job)} />
            {job.terminal ? <Badge>terminal</Badge> : null}
            {job.attempt > 1 ? <Badge tone="warning">attempt {job.attempt}</Badge> : null}
          </>
        }
        description={<JobContext job={job} list={foreign ? '/admin/jobs' : '/jobs'} />}
        actions={<JobActions job={job} />}
      />
      <div className="flex flex-1 flex-col gap-4">
        <JobNote job={job} />
        <JobOverview job={job} ownHandle={ownHandle} series={stream.gpus} />
        {job.provision ? <JobProvision provision={job.provision} /> : null}
        {job.bucket ? <JobBucket bucket={job.bucket} /> : null}
        {job.notice ? <JobNotice notice={job.notice} /> : null}
        <JobTabs job={job} stream={stream} foreign={foreign} />
      </div>
    </>
  )
}

/** The placeholder of the page. */
function JobSkeleton() {
  return (
    <div role="status" className="flex flex-1 flex-col">
      <span className="sr-only">Loading the job</span>
      <Skeleton className="mt-1 mb-2 h-4 w-16" />
      <div className="mb-5 flex h-8 items-center justify-between">
        <Skeleton className="h-6 w-56" />
        <Skeleton className="h-8 w-64 max-sm:hidden" />
      </div>
      <div className="flex flex-1 flex-col gap-4">
        <Skeleton className="h-10.5 rounded-lg" />
        <Skeleton className="h-18 rounded-lg compact:h-7 max-xl:h-32" />
        <Skeleton className="h-10.5 rounded-lg compact:hidden" />
        <Skeleton className="h-10 w-80 max-w-full" />
        <Skeleton className="min-h-64 flex-1 rounded-lg" />
      </div>
    </div>
  )
}

/** The job without the placement of an earlier attempt: a job that waits again holds no node or GPUs. */
export function currentPlacement(job: JobDetail): JobDetail {
  if (job.status !== 'pending' || job.placed) return job
  return { ...job, node_name: null, gpus: [], resources: { ...job.resources, got: [] } }
}

/** The job's competition and project, linked to their jobs. */
function JobContext({ job, list }: { job: JobDetail; list: string }) {
  const filtered = (name: string, value: string) => `${list}?${new URLSearchParams({ [name]: value })}`
  return (
    <>
      <Link variant="quiet" href={filtered('competition_id', job.competition_id)}>
        {job.competition_id}
      </Link>
      <span aria-hidden> · </span>
      <Link variant="quiet" href={filtered('project_id', job.project_id)}>
        {job.project_id}
      </Link>
    </>
  )
}

const tabNames = ['terminal', 'output', 'result', 'files', 'source', 'details'] as const
type TabName = (typeof tabNames)[number]

/** The open tab is part of the address, so that users can link to it. A job with a terminal opens with it. */
function useTab({ terminal }: JobDetail): [TabName, (tab: TabName) => void] {
  const params = useSearchParams()
  const first = terminal ? 'terminal' : 'output'
  const named = tabNames.find((name) => name === params.get('tab'))
  const tab = named === undefined || (named === 'terminal' && !terminal) ? first : named
  const open = (next: TabName) => {
    const search = new URLSearchParams(params)
    if (next === first) search.delete('tab')
    else search.set('tab', next)
    updateSearchParams(search, 'replace')
  }
  return [tab, open]
}

/** The empty state before the first output. */
function waitingTexts({ status, placed }: JobDetail) {
  if (isFinal(status)) return { emptyTitle: 'Loading the output', emptyText: 'This takes a moment.' }
  if (status === 'running') return {}
  return {
    emptyTitle: placed ? 'The job is starting' : 'The job is waiting',
    emptyText: 'Its output appears here.',
  }
}

function JobTabs({ job, stream, foreign }: { job: JobDetail; stream: JobStream; foreign: boolean }) {
  const [tab, open] = useTab(job)
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
      value={tab}
      onValueChange={open}
      actions={<Reconnecting lost={stream.connection === 'lost'} />}
      tabs={[
        ...(job.terminal
          ? [
              {
                value: 'terminal' as const,
                label: 'Terminal',
                content: <TerminalTab job={job} stream={stream} foreign={foreign} />,
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
        { value: 'files', label: 'Files', content: <ArtifactsTab job={job} /> },
        { value: 'source', label: 'Source', content: <SourceTab id={job.job_id} /> },
        { value: 'details', label: 'Details', content: <DetailsTab job={job} /> },
      ]}
    />
  )
}
