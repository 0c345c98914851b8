import type { JobDetail } from '../jobs'

type Instance = JobDetail['resources']['got'][number]

/** What a diagnosis needs of a job. */
export type DiagnosedJob = Pick<
  JobDetail,
  'status' | 'reason' | 'reason_text' | 'exit_code' | 'max_time' | 'environment'
> & {
  resources: { got: readonly Pick<Instance, 'gpus' | 'memory_mib'>[] }
}

/** A line that a program printed, without colours. */
export interface PrintedLine {
  text: string
  /** When it was printed, RFC 3339; null: not known. */
  t: string | null
}

/** How one instance of the job ended, and the end of what it printed. */
export interface InstanceEnd {
  rank: number
  node: string | null
  reason: string | null
  exit_code: number | null
  ended_at: string | null
  lines: readonly PrintedLine[]
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

/** Everything that a diagnosis is made of. */
export interface Facts {
  job: DiagnosedJob
  instances: readonly InstanceEnd[]
  /** Whether the job left metrics, results or files. Matters only for a job that completed. */
  hasResult?: boolean
  /** Undefined: not known. */
  environments?: readonly KnownEnvironment[] | undefined
  /** Undefined: not known. No advice asks for more. */
  limits?: ServerLimits | undefined
}

/** What was found in the facts, from which the next step follows. */
export interface Finding {
  job: DiagnosedJob
  /** The exception or message; null: none. */
  error: string | null
  /** The path, module, command or the like that the error names; null: none. */
  subject: string | null
  /** The text of the line of code; null: not known. */
  code: string | null
  /** The line of the user's code, as people write it: "train.py, line 3"; null: not known. */
  place: string | null
  environments: readonly KnownEnvironment[] | undefined
  limits: ServerLimits | undefined
}
