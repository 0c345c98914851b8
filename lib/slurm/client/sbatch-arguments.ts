import type { SlurmSubmission } from './slurm-client'

/** Slurm's smallest unit of time, in seconds. */
const minuteS = 60

/** Slurm's limit of a job in whole minutes, rounded up. gpuq's worker enforces the exact limit. */
export function toMinutes(seconds: number): number {
  return Math.max(1, Math.ceil(seconds / minuteS))
}

/** What a job asks of each node, in Slurm's words; null: no GPUs. */
export function gresOf({ gpus, gpuType, shards }: SlurmSubmission): string | null {
  if (shards > 0) return `shard:${shards}`
  if (gpus === 0) return null
  return gpuType === null ? `gpu:${gpus}` : `gpu:${gpuType}:${gpus}`
}

/** The arguments of sbatch, which reads the script from its standard input. */
export function sbatchArguments(submission: SlurmSubmission): string[] {
  const { name, comment, nodes, cpus, memoryMib, timeLimitS, graceS, nice, requeue } = submission
  const options: Record<string, string | number | null> = {
    'job-name': name,
    comment,
    nodes: `${nodes}-${nodes}`,
    'ntasks-per-node': 1,
    'cpus-per-task': cpus,
    mem: `${memoryMib}M`,
    gres: gresOf(submission),
    time: toMinutes(timeLimitS),
    signal: graceS > 0 ? `B:TERM@${graceS}` : null,
    nice,
    account: submission.account,
    partition: submission.partition,
    qos: submission.qos,
    reservation: submission.reservation,
    dependency: submission.dependency,
    // With NONE or a list, slurmd starts a login shell of the user for each job. `runSlurmCommand` passes a small environment.
    export: 'ALL',
    // A directory that every node has. The worker stores the program's output; the script has none.
    chdir: '/',
    input: '/dev/null',
    output: '/dev/null',
    'open-mode': 'append',
  }
  const given = Object.entries(options).flatMap(([option, value]) =>
    value === null ? [] : [`--${option}=${value}`],
  )
  return ['--parsable', ...given, requeue ? '--requeue' : '--no-requeue']
}

/** The id in the answer of sbatch: `12` or `12;cluster`. Null: it is none. */
export function parseSubmitted(output: string): number | null {
  const match = /^(\d+)(?:;.*)?$/m.exec(output.trim())
  return match === null ? null : Number(match[1])
}
