import type { ReactNode } from 'react'
import type { JobDetail } from '@/lib/contract/jobs'
import { isFinal } from '@/lib/contract/status'
import { cn } from '../../ui/class-names'
import { Panel } from '../../ui/panel'
import { useIsWide } from '../detail/use-is-wide'
import { adviseResources, describeRequested, describeUsed } from './describe-resources'
import type { JobGpuSeries } from './gpu-series'
import { JobGpuCharts } from './job-gpu-charts'
import { JobUsageCharts } from './job-usage-charts'

interface JobResourcesProps {
  job: JobDetail
  series: readonly JobGpuSeries[]
  /** A wide window has the charts beside the tabs. */
  hasColumn: boolean
}

/** A job's requested and used resources, with charts of its GPUs, CPU and memory. */
export function JobResources({ job, series, hasColumn }: JobResourcesProps) {
  const { resources } = job
  const wide = useIsWide()
  return (
    <Panel className="gap-3 px-4 py-2.5">
      <dl className="flex flex-wrap gap-x-8 gap-y-1.5">
        <Fact label="Requested">{describeRequested(resources)}</Fact>
        <Fact label="Used">
          <Used job={job} />
        </Fact>
      </dl>
      <div className={cn('flex flex-col gap-2', hasColumn && 'xl:hidden')}>
        <JobUsageCharts job={job} enabled={!(wide && hasColumn)} />
        <JobGpuCharts
          instances={resources.got}
          series={series}
          live={!isFinal(job.status)}
          className="max-h-[min(36rem,60dvh)]"
        />
      </div>
    </Panel>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline gap-2">
      <dt className="shrink-0 text-subtle text-xs">{label}</dt>
      <dd className="min-w-0 text-ink text-sm">{children}</dd>
    </div>
  )
}

function Used({ job }: { job: JobDetail }) {
  const { got } = job.resources
  const gpus = got.flatMap((instance) => instance.gpus)
  if (!isFinal(job.status)) return <span className="text-subtle">{describeMeasuring(gpus)}</span>
  const advice = adviseResources(job.resources)
  return (
    <>
      {describeUsed(job.resources) ?? <span className="text-subtle">–</span>}
      {advice ? <> {advice}</> : null}
    </>
  )
}

function describeMeasuring(gpus: readonly { simulated: boolean }[]): string {
  return gpus.length > 0 && gpus.every(({ simulated }) => simulated)
    ? 'Measured while the job runs. The GPUs are simulated and cannot be measured.'
    : 'Measured while the job runs.'
}
