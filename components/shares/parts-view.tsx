import dynamic from 'next/dynamic'
import { type ReactNode, useMemo } from 'react'
import { JobApiContext } from '@/components/queries/job-api'
import { api } from '@/components/queries/queries'
import { isFinal } from '@/lib/contract/status'
import type { SharedFacts } from '@/lib/shares/contract'
import { ArtifactsTab } from '../artifacts/artifacts-tab'
import { isRunning } from '../metrics/job-curves'
import { QueryProvider } from '../shell/query-provider'
import { Skeleton } from '../ui/skeleton'

export interface SharedPartsProps {
  /** The token of the link. */
  token: string
  job: SharedFacts
  /** What the link shows of the job, as far as the job has it or may have it later. */
  shows: Record<'output' | 'metrics' | 'files', boolean>
}

/** The charts use a canvas, so the server cannot render them. */
const MetricsView = dynamic(() => import('../metrics/metrics-view').then((module) => module.MetricsView), {
  ssr: false,
  loading: () => <Skeleton className="h-72 rounded-lg" />,
})

/** The metrics of a job and its files in /results, as on the page of the job, read with the token of a link. */
export function PartsView({ token, job, shows }: SharedPartsProps) {
  return (
    <QueryProvider>
      <JobApiContext value={api.shares}>
        {shows.metrics ? (
          <Part title="Metrics">
            <Metrics token={token} job={job} />
          </Part>
        ) : null}
        {shows.files ? (
          <Part title="Files">
            <ArtifactsTab id={token} job={{ ...job, deleted_after_days: null }} readOnly />
          </Part>
        ) : null}
      </JobApiContext>
    </QueryProvider>
  )
}

function Metrics({ token, job }: Pick<SharedPartsProps, 'token' | 'job'>) {
  const label = job.name ?? 'Job'
  const live = isRunning(job)
  const jobs = useMemo(() => [{ id: token, label, index: 0, live }], [token, label, live])
  return (
    <MetricsView
      jobs={jobs}
      hint={
        isFinal(job.status)
          ? 'The job printed no numbers in lines of JSON.'
          : 'Numbers that the job prints in lines of JSON appear here.'
      }
    />
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <h2 className="font-semibold text-lg">{title}</h2>
      {children}
    </section>
  )
}
