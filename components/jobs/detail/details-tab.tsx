import type { JobDetail } from '@/lib/contract/jobs'
import { describeBasis } from '@/lib/contract/predicted-time'
import { Person } from '../../shell/person'
import { Badge } from '../../ui/badge'
import { CopyButton } from '../../ui/copy-button'
import { DataList, Datum } from '../../ui/data-list'
import { Duration } from '../../ui/duration'
import { formatBytes, formatCount } from '../../ui/format-number'
import { formatSeconds } from '../../ui/format-time'
import { Link } from '../../ui/link'
import { Panel, PanelBody } from '../../ui/panel'
import type { JobGpuSeries } from '../resources/gpu-series'
import { JobResources } from '../resources/job-resources'

interface DetailsTabProps {
  job: JobDetail
  series: readonly JobGpuSeries[]
  /** In a wide window, the page shows the curves beside the tabs. */
  hasColumn: boolean
}

/** All details of a job, and how it used its resources. */
export function DetailsTab({ job, series, hasColumn }: DetailsTabProps) {
  return (
    <div className="flex flex-col gap-4">
      <JobResources job={job} series={series} hasColumn={hasColumn} />
      <Details job={job} />
    </div>
  )
}

function Details({ job }: { job: JobDetail }) {
  const time = (at: string | null) => (at === null ? '–' : `${at.slice(0, 19).replace('T', ' ')} UTC`)
  return (
    <Panel>
      <PanelBody className="flex flex-col gap-6">
        <DataList className="grid-cols-1 sm:grid-cols-2 lg:grid-cols-3">
          <Datum label="Job id">
            <span className="flex items-center gap-1">
              <span className="min-w-0 break-all font-mono text-xs">{job.job_id}</span>
              <CopyButton text={job.job_id} label="Copy the job id" />
            </span>
          </Datum>
          <Datum label="User">
            <Person handle={job.user_id} name={job.user_name} />
          </Datum>
          {job.submitted_with === null ? null : (
            <Datum label="Submitted with">token {job.submitted_with.name}</Datum>
          )}
          <Datum label="Environment">{job.environment}</Datum>
          <Datum label="Submitted">{time(job.created_at)}</Datum>
          <Datum label="Started">{time(job.started_at)}</Datum>
          <Datum label="Ended">{time(job.completed_at)}</Datum>
          <Datum label="Wait time">
            <Duration from={job.created_at} to={job.started_at ?? job.completed_at} />
          </Datum>
          <Datum label="Attempt">{job.attempt}</Datum>
          <Datum label="Retries">at most {job.max_retries}</Datum>
          <Datum label="Expected time">{formatSeconds(job.expected_time)}</Datum>
          {job.predicted_time ? (
            <Datum label="Predicted time">
              {formatSeconds(job.predicted_time.seconds)}, {describeBasis(job.predicted_time)}
            </Datum>
          ) : null}
          <Datum label="Time limit">{formatSeconds(job.max_time)}</Datum>
          {job.run_name === null ? null : <Datum label="Run name">{job.run_name}</Datum>}
          {job.snapshot === null ? null : (
            <Datum label="Snapshot">
              <span className="flex items-center gap-1">
                <span className="min-w-0 wrap-anywhere">{job.snapshot}</span>
                <CopyButton text={job.snapshot} label="Copy the snapshot" />
              </span>
            </Datum>
          )}
          {job.archive === null ? null : (
            <Datum label="Directory">
              {formatCount(job.archive.files, 'file')}, {formatBytes(job.archive.bytes)}
            </Datum>
          )}
          {job.mounts.length === 0 ? null : (
            <Datum label="Mounts">
              <ul className="flex flex-col gap-1">
                {job.mounts.map(({ path, snapshot }) => (
                  <li key={path} className="break-all">
                    <span className="font-mono text-xs">{path}</span> {snapshot}
                  </li>
                ))}
              </ul>
            </Datum>
          )}
          {job.depends_on.length === 0 ? null : (
            <Datum label="Depends on">
              <ul className="flex flex-col gap-1">
                {job.depends_on.map((other) => (
                  <li key={other.job_id ?? other.group_id} className="wrap-anywhere">
                    <Dependency {...other} />
                  </li>
                ))}
              </ul>
            </Datum>
          )}
          {job.slurm === null ? null : <Datum label="Slurm job">{describeSlurmJob(job.slurm)}</Datum>}
          <Datum label="Output">{formatBytes(job.output_bytes)}</Datum>
          <Datum label="Result file">
            <span className="break-all font-mono text-xs">{job.result_file ?? '–'}</span>
          </Datum>
        </DataList>
        {job.gpus.length > 0 ? <GpuList gpus={job.gpus} /> : null}
      </PanelBody>
    </Panel>
  )
}

const conditionNotes = { ok: null, any: ', after any end', failed: ', after a failure' } as const

function Dependency({
  job_id,
  group_id,
  when,
  name,
  status,
  members,
  ended,
}: JobDetail['depends_on'][number]) {
  const note = conditionNotes[when]
  if (group_id !== null)
    return (
      <>
        group <Link href={`/groups/${group_id}`}>{name ?? group_id}</Link> {status}, {ended} of {members}{' '}
        ended
        {note}
      </>
    )
  if (status === null)
    return (
      <>
        {job_id}
        {note}
      </>
    )
  return (
    <>
      <Link href={`/jobs/${job_id}`}>{name ?? job_id}</Link> {status}
      {note}
    </>
  )
}

function GpuList({ gpus }: { gpus: JobDetail['gpus'] }) {
  return (
    <section aria-label="GPUs">
      <h2 className="mb-2 text-subtle text-xs">GPUs</h2>
      <ul className="divide-y rounded-lg border">
        {gpus.map((gpu, position) => (
          <li key={gpu.uuid} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-sm">
            <span>
              {gpu.index}: {gpu.model}
            </span>
            <span className="text-subtle text-xs">index {position} in the container</span>
            {gpu.simulated && !/simulated/i.test(gpu.model) ? <Badge tone="warning">simulated</Badge> : null}
            {gpu.milli < 1000 ? <Badge>{gpu.milli / 10} %</Badge> : null}
            <span className="ml-auto break-all font-mono text-subtle text-xs">{gpu.uuid}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The submission to Slurm in Slurm's words, such as "1234, PENDING (Priority)". */
function describeSlurmJob({ slurm_id, state, reason, restarts }: NonNullable<JobDetail['slurm']>): string {
  const why = reason === null || reason === 'None' ? '' : ` (${reason})`
  const again = restarts === 0 ? '' : `, started again ${formatCount(restarts, 'time')}`
  return `${slurm_id ?? 'not submitted yet'}${state === null ? '' : `, ${state}`}${why}${again}`
}
