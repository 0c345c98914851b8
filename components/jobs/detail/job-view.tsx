'use client'

import { useQuery } from '@tanstack/react-query'
import { NotebookPen } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { jobQuery } from '@/components/queries/queries'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { Approvals, ofJob } from '../../features'
import { LoadFailure } from '../../shell/load-failure'
import { Person } from '../../shell/person'
import { Badge } from '../../ui/badge'
import { IconButton } from '../../ui/icon-button'
import { Link } from '../../ui/link'
import { PageHeader } from '../../ui/page-header'
import { Panel } from '../../ui/panel'
import { RelativeTime } from '../../ui/relative-time'
import { Skeleton } from '../../ui/skeleton'
import { jobStateOf } from '../job-status'
import { jobTitle } from '../job-title'
import { TagBadges } from '../labels/job-labels'
import { JobTags } from '../labels/job-tags'
import { NoteEditor } from '../labels/note-editor'
import { StarButton } from '../labels/star-button'
import { useUpdateJob } from '../labels/use-update-job'
import { projectJobsPath } from '../list/project-jobs-path'
import { JobGpuCharts } from '../resources/job-gpu-charts'
import { JobUsageCharts } from '../resources/job-usage-charts'
import { type FirstOutput, noOutput } from './first-output'
import { IdleGpus } from './idle-gpus'
import type { JobAccess } from './job-access'
import { JobActions } from './job-actions'
import { JobFacts } from './job-facts'
import { JobNote } from './job-note'
import { JobNotice } from './job-notice'
import { JobTabs, useTab } from './job-tabs'
import { useTabStatus } from './tab-status'
import { useIsWide } from './use-is-wide'
import { type JobStream, useJobStream } from './use-job-stream'

/** Most jobs do not fail. */
const FailureCard = dynamic(() => import('../failure/failure-card').then((module) => module.FailureCard), {
  loading: () => <Skeleton className="h-18 rounded-lg" />,
})

interface JobViewProps {
  id: string
  ownHandle: string
  admin: boolean
  /** The part of the output that comes with the page. */
  firstOutput?: FirstOutput
}

/** The page of one job, live. */
export function JobView({ id, ownHandle, admin, firstOutput = noOutput }: JobViewProps) {
  const { data, error, isPending, refetch } = useQuery(jobQuery(id))
  const stream = useJobStream(id, firstOutput)
  if (isPending) return <JobSkeleton />
  if (!data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  return <LoadedJob job={data} stream={stream} access={accessTo(data, ownHandle, admin)} />
}

function accessTo(job: JobDetail, ownHandle: string, admin: boolean): JobAccess {
  if (job.user_id === ownHandle) return 'owner'
  return admin ? 'admin' : 'manager'
}

interface LoadedJobProps {
  job: JobDetail
  stream: JobStream
  access: JobAccess
}

function LoadedJob({ job, stream, access }: LoadedJobProps) {
  const foreign = access !== 'owner'
  const [writing, setWriting] = useState(false)
  const { update } = useUpdateJob(job.job_id)
  const [tab, openTab] = useTab(job)
  const [tracebackLine, setTracebackLine] = useState<number | null>(null)
  // Decided once, so that the output never becomes narrower.
  const [hasColumn] = useState(() => mayHaveCurves(job))
  const list = access === 'admin' ? '/admin/jobs' : '/jobs'
  useTabStatus(jobStateOf(job), jobTitle(job))
  return (
    <>
      <PageHeader
        path={[listOf(job, access)]}
        title={job.name ? jobTitle(job) : <span className="font-mono">{jobTitle(job)}</span>}
        meta={
          <>
            {job.terminal ? <Badge>terminal</Badge> : null}
            {job.attempt > 1 ? <Badge tone="warning">attempt {job.attempt}</Badge> : null}
            <span className="flex min-w-0 flex-wrap items-center gap-1.5">
              {access === 'manager' ? (
                <TagBadges tags={job.tags} />
              ) : (
                <>
                  <StarButton job={job} />
                  {job.note === null && !writing ? (
                    <IconButton icon={NotebookPen} label="Add a note" onClick={() => setWriting(true)} />
                  ) : null}
                  <JobTags job={job} list={list} />
                </>
              )}
            </span>
          </>
        }
        description={
          <span className="max-sm:line-clamp-2">
            <JobContext job={job} list={list} foreign={foreign} />
          </span>
        }
        actions={<JobActions job={job} readOnly={access === 'manager'} />}
      />
      {/* The shell gives the page the whole width of the window. */}
      <div data-wide className="flex flex-1 flex-col gap-4 max-sm:pb-(--footer-height)">
        {job.reason === 'approval_needed' && access !== 'manager' ? (
          <Approvals everyone={foreign} only={job.job_id} />
        ) : null}
        <Panel className="px-4 py-2.5">
          <div aria-live="polite">
            <JobFacts job={job} />
            <JobNote job={job} own={!foreign} />
          </div>
          {access === 'manager' ? (
            <p className="mt-2 border-t pt-2 wrap-anywhere text-sm empty:hidden">{job.note}</p>
          ) : (
            <NoteEditor
              note={job.note}
              placeholder="What is this job about? What did you learn?"
              editing={writing}
              onEditing={setWriting}
              onSave={(note) => update({ note })}
            />
          )}
        </Panel>
        {job.group_id ? <ofJob.Member jobId={job.job_id} title={jobTitle(job)} /> : null}
        <ofJob.Experiment kind="job" id={job.job_id} of={job} />
        {job.status === 'failed' ? (
          <FailureCard job={job} stream={stream} onTraceback={setTracebackLine} />
        ) : null}
        {job.reason === 'budget' || job.reason === 'budget_used_up' ? (
          <ofJob.Budgets job={job.job_id} />
        ) : null}
        {job.idle_gpu ? <IdleGpus idle={job.idle_gpu} /> : null}
        {job.provision ? <ofJob.Provision provision={job.provision} /> : null}
        {job.bucket ? <ofJob.Bucket bucket={job.bucket} /> : null}
        {job.notice ? <JobNotice notice={job.notice} /> : null}
        <div className="flex min-w-0 flex-1 gap-6">
          <JobTabs
            job={job}
            tab={tab}
            onTab={openTab}
            stream={stream}
            openAt={tracebackLine}
            access={access}
            hasColumn={hasColumn}
          />
          {hasColumn ? <SideColumn job={job} stream={stream} onMetrics={() => openTab('metrics')} /> : null}
        </div>
      </div>
    </>
  )
}

/** The list that the job is in. */
function listOf({ project_id }: JobDetail, access: JobAccess) {
  if (access === 'manager') return { label: project_id, href: projectJobsPath(project_id) }
  return access === 'admin' ? { label: 'All jobs', href: '/admin/jobs' } : { label: 'Jobs', href: '/jobs' }
}

/** Live curves of the job's metrics and of its use of resources. In a narrower window, tabs have them. */
function SideColumn({
  job,
  stream,
  onMetrics,
}: {
  job: JobDetail
  stream: JobStream
  onMetrics: () => void
}) {
  const wide = useIsWide()
  return (
    <aside className="sticky top-4 hidden max-h-[calc(100dvh-2rem)] w-72 shrink-0 flex-col gap-4 self-start overflow-y-auto xl:flex">
      {job.terminal ? null : <ofJob.Curves job={job} onOpen={onMetrics} />}
      <JobUsageCharts job={job} enabled={wide} />
      <JobGpuCharts
        instances={job.resources.got}
        series={stream.gpus}
        live={job.status === 'running'}
        className="max-h-[calc(100dvh-2rem)]"
      />
    </aside>
  )
}

/** Whether the job has curves now, or may have some later. The output of a terminal has no lines of JSON. */
function mayHaveCurves({ status, terminal, metrics, resources }: JobDetail): boolean {
  const gpus = resources.got.flatMap((instance) => instance.gpus)
  return (
    (!isFinal(status) && !terminal) ||
    Object.keys(metrics).length > 0 ||
    gpus.some(({ simulated }) => !simulated)
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
        <Skeleton className="h-11 rounded-lg" />
        <Skeleton className="h-10 w-80 max-w-full" />
        <Skeleton className="min-h-64 flex-1 rounded-lg" />
      </div>
    </div>
  )
}

/** The job's competition and project, linked to their jobs, when it was submitted, and by whom. */
function JobContext({ job, list, foreign }: { job: JobDetail; list: string; foreign: boolean }) {
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
      <span aria-hidden> · </span>
      submitted <RelativeTime at={job.created_at} />
      {foreign ? (
        <>
          {' '}
          by <Person handle={job.user_id} name={job.user_name} />
        </>
      ) : null}
    </>
  )
}
