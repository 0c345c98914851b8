import { countJobGpus } from './gres'
import { expandHostlist } from './hostlist'
import { parseDuration, parseTime, textOrNull } from './parse-jobs'
import type { SlurmJobState } from './slurm-client'

const safeFields = [
  'JobIDRaw',
  'State',
  'Reason',
  'User',
  'Partition',
  'NodeList',
  'AllocTRES',
  'AllocCPUS',
  'ExitCode',
  'Submit',
  'Start',
  'End',
  'Timelimit',
] as const
/** Users choose these. */
const freeFields = ['Comment', 'JobName'] as const

/** The value of `sacct --format`. All fields end with the same separator, because sacct has only one. */
export function endedFormat(): string {
  return [...safeFields, ...freeFields].join(',')
}

/** The jobs in the output of `sacct --parsable --delimiter=SEPARATOR`, one record per job. */
export function parseEnded(output: string, separator: string): SlurmJobState[] {
  const width = safeFields.length + freeFields.length
  const values = output.split(separator)
  const jobs: SlurmJobState[] = []
  for (let index = 0; index + width < values.length; index += width) {
    jobs.push(parseRecord(values.slice(index, index + width)))
  }
  return jobs
}

function parseRecord(values: readonly string[]): SlurmJobState {
  const [id = '', state = '', reason = '', user = '', partition = '', nodes = '', tres = '', ...more] = values
  const [cpus, exit = '', submitted, start, end, limit = '', comment = '', name = ''] = more
  if (!/^\d+$/.test(id.trim())) throw new Error(`sacct printed an unknown record: ${id.slice(0, 200)}`)
  return {
    id: Number(id.trim()),
    // Such as `CANCELLED by 1000`.
    state: state.split(' ')[0] ?? state,
    reason: textOrNull(reason),
    comment: textOrNull(comment) ?? '',
    user,
    name,
    partition,
    nodes: nodes === 'None assigned' ? [] : expandHostlist(nodes),
    gpus: countJobGpus({ tres, perNode: '', perJob: '', perTask: '', nodes: 0, tasks: 0 }),
    cpus: Number(cpus),
    nice: 0,
    held: false,
    // sacct 22.05 does not print it.
    restarts: 0,
    exitCode: parseExit(exit),
    submittedAt: parseTime(submitted),
    startsAt: null,
    startedAt: parseTime(start),
    endedAt: parseTime(end),
    limitS: parseDuration(limit),
  }
}

/** `CODE:SIGNAL` of sacct. */
function parseExit(text: string): number | null {
  const match = /^(\d+):(\d+)$/.exec(text)
  if (match === null) return null
  const [code, signal] = [Number(match[1]), Number(match[2])]
  return signal === 0 ? code : 128 + signal
}
