import type { JobDetail } from '../jobs'

type Instance = JobDetail['resources']['got'][number]
export type FailedJob = Pick<JobDetail, 'reason' | 'max_time' | 'environment'> & {
  resources: { got: readonly Pick<Instance, 'gpus' | 'memory_mib'>[] }
}

/** An environment that the user can choose. */
export interface KnownEnvironment {
  name: string
  network: 'none' | 'internet'
  enabled: boolean
}

/** The most that this server has for a job like the failed one; null: not known. */
export interface ServerLimits {
  /** Memory of a node. */
  memory_gb: number | null
  /** GPUs of a node. */
  gpus: number | null
  /** Memory of a GPU. */
  gpu_memory_mib: number | null
  /** The longest time limit of a job, in seconds. */
  max_time: number | null
}

/** What is known about a failed job. */
export interface Failure {
  job: FailedJob
  /** The exception that ended the program; null: none was found. */
  exception: string | null
  /** The end of the output. */
  lines: readonly string[]
  /** Undefined: not known. */
  environments: readonly KnownEnvironment[] | undefined
  /** Left out: not known. No advice asks for more. */
  limits?: ServerLimits
}

/** A change that can be filled in for the user. `shell`: bash runs the command. */
export type Fix =
  | { key: 'environment'; value: string }
  | { key: 'memory_gb' | 'max_time' | 'gpu_count'; value: number }
  | { key: 'shell'; value: 'bash' }

export interface FailureAdvice {
  /** What to change so that the job can succeed. */
  text: string
  /** Null: only the user can make the change. */
  fix: Fix | null
}

/** Advice that only the user can follow. */
export function only(text: string): FailureAdvice {
  return { text, fix: null }
}
