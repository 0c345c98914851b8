'use client'

import type { ReactNode } from 'react'
import type { JobDetail } from '@/lib/contract/jobs'
import { Badge } from '../../ui/badge'
import { DataList, Datum } from '../../ui/data-list'
import { Duration } from '../../ui/duration'
import { Panel } from '../../ui/panel'
import { RelativeTime } from '../../ui/relative-time'
import { type DescribedGpu, describeGpus } from './describe-gpus'

/** Times, placement and exit code. Each has its place from the start, so that nothing moves. */
export function JobFacts({ job, ownHandle }: { job: JobDetail; ownHandle: string }) {
  return (
    <Panel className="p-4">
      <DataList className="grid-cols-2 sm:grid-cols-3 xl:grid-cols-6">
        <Datum label="Submitted">
          <RelativeTime at={job.created_at} />
          {job.user_id === ownHandle ? null : <> by {job.user_id}</>}
        </Datum>
        <Datum label="Wait time">
          <Duration from={job.created_at} to={job.started_at ?? job.completed_at} />
        </Datum>
        <Datum label="Run time">
          <ValueOrDash value={job.started_at}>
            {(from) => <Duration from={from} to={job.completed_at} />}
          </ValueOrDash>
        </Datum>
        <Datum label="Exit code">
          <ValueOrDash value={job.exit_code}>
            {(code) => <span className="tabular-nums">{code}</span>}
          </ValueOrDash>
        </Datum>
        <Datum label={job.resources.got.length > 1 ? 'Nodes' : 'Node'}>
          <ValueOrDash value={nodesOf(job)}>{(names) => names}</ValueOrDash>
        </Datum>
        <Datum label="GPUs">
          <Gpus gpus={gpusOf(job)} />
        </Datum>
      </DataList>
    </Panel>
  )
}

/** The node names in the order of the ranks. */
function nodesOf({ node_name, resources: { got } }: JobDetail): string | null {
  return got.length > 1 ? got.map(({ node }) => node).join(', ') : node_name
}

/** The GPUs on all nodes. */
function gpusOf({ gpus, resources: { got } }: JobDetail): readonly DescribedGpu[] {
  if (got.length < 2) return gpus
  return got.flatMap((instance) =>
    instance.gpus.map(({ model, simulated, share }) => ({
      model,
      simulated,
      milli: Math.round(share * 1000),
    })),
  )
}

function ValueOrDash<Value>({
  value,
  children,
}: {
  value: Value | null
  children: (value: Value) => ReactNode
}) {
  return value === null ? <span className="text-subtle">–</span> : children(value)
}

/** Simulated GPUs get a badge, unless the model's name says so. */
function Gpus({ gpus }: { gpus: readonly DescribedGpu[] }) {
  if (gpus.length === 0) return <span className="text-subtle">–</span>
  return (
    <ul className="flex flex-col gap-0.5">
      {describeGpus(gpus).map(({ text, simulated }) => (
        <li key={text} className="flex flex-wrap items-center gap-1.5">
          {text}
          {simulated && !/simulated/i.test(text) ? <Badge tone="warning">simulated</Badge> : null}
        </li>
      ))}
    </ul>
  )
}
