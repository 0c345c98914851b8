import type { ReactNode } from 'react'
import type { JobDetail } from '@/lib/contract/jobs'
import { Badge } from '../../ui/badge'
import { cn } from '../../ui/class-names'
import { Duration } from '../../ui/duration'
import { JobStatus, jobStateOf } from '../job-status'
import { RunTime } from './run-time'

type ShownGpu = Pick<JobDetail['gpus'][number], 'model' | 'simulated' | 'milli'>

/**
 * Status, duration, exit code, node and GPUs in one line. Each has its place from the start, so that nothing moves. A narrow screen
 * leaves out the names of values that explain themselves.
 */
export function JobFacts({ job }: { job: JobDetail }) {
  const { got } = job.resources
  const nodes = got.length > 1 ? got.map(({ node }) => node).join(', ') : job.node_name
  return (
    <dl className="flex flex-wrap items-center gap-x-3 gap-y-1.5 sm:gap-x-6">
      <div>
        <dt className="sr-only">Status</dt>
        {/* Inline, the badge would add a part of a pixel, which would hide a part of the last line of the output. */}
        <dd className="flex">
          <JobStatus state={jobStateOf(job)} />
        </dd>
      </div>
      {job.started_at === null ? (
        <Fact label="Wait time">
          <span aria-live="off">
            <Duration from={job.created_at} to={job.completed_at} />
          </span>
        </Fact>
      ) : (
        <Fact label="Run time">
          <div aria-live="off">
            <RunTime job={job} startedAt={job.started_at} />
          </div>
        </Fact>
      )}
      <Fact label="Exit code" named>
        {job.exit_code === null ? null : <span className="tabular-nums">{job.exit_code}</span>}
      </Fact>
      <Fact label={got.length > 1 ? 'Nodes' : 'Node'}>{nodes}</Fact>
      <Fact label="GPUs">{gpusOf(job).length === 0 ? null : <Gpus gpus={gpusOf(job)} />}</Fact>
    </dl>
  )
}

/** One name and value. A missing value has its place only where there is space for it. */
function Fact({ label, named = false, children }: { label: string; named?: boolean; children: ReactNode }) {
  return (
    <div className={cn('flex min-w-0 items-baseline gap-2', children === null && 'max-sm:hidden')}>
      <dt className={cn('shrink-0 text-subtle text-xs', !named && 'max-sm:sr-only')}>{label}</dt>
      <dd className="min-w-0 wrap-anywhere text-ink text-sm">
        {children ?? <span className="text-subtle">–</span>}
      </dd>
    </div>
  )
}

/** The GPUs on all nodes. */
function gpusOf({ gpus, resources: { got } }: JobDetail): readonly ShownGpu[] {
  if (got.length < 2) return gpus
  return got
    .flatMap((instance) => instance.gpus)
    .map(({ model, simulated, share }) => ({ model, simulated, milli: Math.round(share * 1000) }))
}

/** Simulated GPUs get a badge, unless the model's name says so. */
function Gpus({ gpus }: { gpus: readonly ShownGpu[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-0.5">
      {describeGpus(gpus).map(({ text, simulated }) => (
        <li key={`${text} ${simulated}`} className="flex flex-wrap items-center gap-1.5">
          {text}
          {simulated && !/simulated/i.test(text) ? <Badge tone="warning">simulated</Badge> : null}
        </li>
      ))}
    </ul>
  )
}

/** A job's GPUs, grouped: "2 × NVIDIA A100", "0.5 of NVIDIA A100". */
export function describeGpus(gpus: readonly ShownGpu[]): { text: string; simulated: boolean }[] {
  const groups = new Map<string, { text: string; simulated: boolean; count: number }>()
  for (const { model, simulated, milli } of gpus) {
    const text = milli === 1000 ? model : `${milli / 1000} of ${model}`
    const key = `${text}/${simulated}`
    const group = groups.get(key) ?? { text, simulated, count: 0 }
    groups.set(key, { ...group, count: group.count + 1 })
  }
  return [...groups.values()].map(({ text, simulated, count }) => ({
    text: count > 1 ? `${count} × ${text}` : text,
    simulated,
  }))
}
