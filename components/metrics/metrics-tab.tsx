import dynamic from 'next/dynamic'
import { useMemo } from 'react'
import { Skeleton } from '@/components/ui/skeleton'
import type { JobDetail } from '@/lib/contract/jobs'
import { jobTitle } from '../jobs/job-title'
import { isRunning } from './job-curves'

/** The charts use a canvas, so the server cannot render them. */
const MetricsView = dynamic(() => import('./metrics-view').then((module) => module.MetricsView), {
  ssr: false,
  loading: () => <Skeleton className="h-72 rounded-lg" />,
})

/** The metrics of a job. */
export function MetricsTab({ job }: { job: JobDetail }) {
  const label = jobTitle(job)
  const live = isRunning(job)
  const jobs = useMemo(() => [{ id: job.job_id, label, index: 0, live }], [job.job_id, label, live])
  return (
    <>
      <h2 className="sr-only">Metrics</h2>
      <MetricsView jobs={jobs} />
    </>
  )
}
