import type { JobDetail } from '@/lib/contract/jobs'
import { Person } from '../../shell/person'
import { Badge } from '../../ui/badge'
import { DataList, Datum } from '../../ui/data-list'
import { Duration } from '../../ui/duration'
import { Panel } from '../../ui/panel'
import { RelativeTime } from '../../ui/relative-time'

type ShownGpu = Pick<JobDetail['gpus'][number], 'model' | 'simulated' | 'milli'>

const none = <span className="text-subtle">–</span>

/** Times, placement and exit code. Each has its place from the start, so that nothing moves. */
export function JobFacts({ job, ownHandle }: { job: JobDetail; ownHandle: string }) {
  const { got } = job.resources
  const nodes = got.length > 1 ? got.map(({ node }) => node).join(', ') : job.node_name
  return (
    <Panel className="p-4">
      <DataList className="grid-cols-2 sm:grid-cols-3 xl:grid-cols-6">
        <Datum label="Submitted">
          <RelativeTime at={job.created_at} />
          {job.user_id === ownHandle ? null : (
            <>
              {' '}
              by <Person handle={job.user_id} name={job.user_name} />
            </>
          )}
        </Datum>
        <Datum label="Wait time">
          <Duration from={job.created_at} to={job.started_at ?? job.completed_at} />
        </Datum>
        <Datum label="Run time">
          {job.started_at === null ? none : <Duration from={job.started_at} to={job.completed_at} />}
        </Datum>
        <Datum label="Exit code">
          <span className="tabular-nums">{job.exit_code ?? none}</span>
        </Datum>
        <Datum label={got.length > 1 ? 'Nodes' : 'Node'}>{nodes ?? none}</Datum>
        <Datum label="GPUs">
          <Gpus gpus={gpusOf(job)} />
        </Datum>
      </DataList>
    </Panel>
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
  if (gpus.length === 0) return none
  return (
    <ul className="flex flex-col gap-0.5">
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
