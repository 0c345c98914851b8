import { countJobGpus } from './gres'
import { expandHostlist } from './hostlist'
import type { SlurmJobState } from './slurm-client'

/**
 * Fields whose values users cannot choose. squeue prints a field in full if its format has an end instead of a width.
 */
const safeFields = [
  'JobID',
  'State',
  'UserName',
  'Partition',
  'NodeList',
  'tres-alloc',
  'tres-per-node',
  'tres-per-job',
  'tres-per-task',
  'NumTasks',
  'NumNodes',
  'NumCPUs',
  'Nice',
  'PriorityLong',
  'RestartCnt',
  'exit_code',
  'SubmitTime',
  'StartTime',
  'EndTime',
  'TimeLimit',
] as const
/** Users choose names and comments: they may contain any character, line breaks too. */
const freeFields = ['Reason', 'Comment', 'Name'] as const

/**
 * The format for `squeue --Format`. A free field ends with the separator, a random text that no name contains by chance or on
 * purpose. So no user can forge the record of another job.
 */
export function jobFormat(separator: string): string {
  const fields = [
    ...safeFields.map((field) => `${field}:|`),
    ...freeFields.map((field) => `${field}:${separator}`),
  ]
  return fields.join(',')
}

/** The jobs in the output of squeue. @throws if it does not have the format `jobFormat(separator)`. */
export function parseJobs(output: string, separator: string): SlurmJobState[] {
  const pieces = output.split(separator)
  const jobs: SlurmJobState[] = []
  for (let index = 0; index + freeFields.length < pieces.length; index += freeFields.length) {
    const [head = '', comment = '', name = ''] = pieces.slice(index, index + freeFields.length)
    jobs.push(parseJob(head.replace(/^\n/, ''), comment, name))
  }
  const rest = pieces[jobs.length * freeFields.length]
  if (rest?.trim()) throw new Error(`The output of squeue ends unexpectedly: ${rest.slice(0, 200)}`)
  return jobs
}

function parseJob(head: string, comment: string, name: string): SlurmJobState {
  const [id, state, user, partition, nodes, tres, perNode, perJob, perTask, ...more] = head.split('|')
  const [tasks, nodeCount, cpus, nice, priority, restarts, exitStatus, ...times] = more
  const [submitted, start, end, limit, ...reason] = times
  if (!/^\d+$/.test(id ?? '') || state === undefined || limit === undefined)
    throw new Error(`squeue printed an unknown record: ${head.slice(0, 200)}`)
  const isPending = state === 'PENDING'
  const startTime = parseTime(start)
  return {
    id: Number(id),
    state,
    reason: textOrNull(reason.join('|')),
    comment: textOrNull(comment) ?? '',
    user: user ?? '',
    name,
    partition: partition ?? '',
    nodes: expandHostlist(textOrNull(nodes ?? '') ?? ''),
    gpus: countJobGpus({
      tres: tres ?? '',
      perNode: perNode ?? '',
      perJob: perJob ?? '',
      perTask: perTask ?? '',
      nodes: Number(nodeCount),
      tasks: Number(tasks),
    }),
    cpus: Number(cpus),
    nice: Number(nice),
    held: isPending && priority === '0',
    restarts: Number(restarts),
    exitCode: hasEnded(state) ? exitCodeOf(Number(exitStatus)) : null,
    submittedAt: parseTime(submitted),
    startsAt: isPending ? startTime : null,
    startedAt: isPending ? null : startTime,
    endedAt: hasEnded(state) ? parseTime(end) : null,
    limitS: parseDuration(limit),
  }
}

const liveStates = new Set([
  'PENDING',
  'RUNNING',
  'SUSPENDED',
  'CONFIGURING',
  'COMPLETING',
  'RESIZING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'SPECIAL_EXIT',
  'SIGNALING',
  'STAGE_OUT',
  'STOPPED',
  'POWER_UP_NODE',
  'RESV_DEL_HOLD',
])

/** Whether the job is over in this state of Slurm. */
export function hasEnded(state: string): boolean {
  return !liveStates.has(state)
}

/** The exit code in a wait status: 128 plus the signal after a signal. */
export function exitCodeOf(status: number): number {
  const signal = status & 0x7f
  return signal === 0 ? (status >> 8) & 0xff : 128 + signal
}

/** A time that a command printed with TZ=UTC, such as `2026-11-23T09:30:01`. Null: N/A, Unknown, None. */
export function parseTime(text: string | undefined): Date | null {
  return text !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text) ? new Date(`${text}Z`) : null
}

/** Seconds of `DAYS-HH:MM:SS`, `HH:MM:SS` or `MM:SS`. Null: UNLIMITED. */
export function parseDuration(text: string): number | null {
  const match = /^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)$/.exec(text)
  if (match === null) return null
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0))
  return (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)
}

/** Slurm's words for nothing. */
export function textOrNull(text: string): string | null {
  return ['', '(null)', 'None', 'none', 'N/A'].includes(text) ? null : text
}
