import type { Prediction } from './run-times/run-times'

/**
 * Input and output types of the pure scheduler. Units: thousandths of a core, MiB, thousandths of a GPU,
 * milliseconds.
 */

export interface GpuState {
  id: string
  /** Position on its node, as used by `allowed_gpus`. */
  index: number
  model: string
  memoryMib: number
  allocatedMilli: number
  /** Why it is not available although it has free capacity; null: it is available. */
  blocked: 'paused' | 'outside' | 'missing' | null
}

export interface NodeState {
  id: string
  /** For people. Only explanations use it. */
  name?: string
  /** Why it accepts no new tasks; null: it accepts them. */
  blocked: 'paused' | 'quarantined' | 'draining' | 'lost' | null
  pool: Exclude<Pool, 'best-effort'>
  /** The job for which the node was provisioned; no other job runs there. Undefined or null: any job. */
  dedicatedTo?: string | null
  cpuMilli: number
  memoryMib: number
  usedCpuMilli: number
  usedMemoryMib: number
  gpus: readonly GpuState[]
  /** GPUs that its worker does not find now. Only explanations use them. */
  absentGpus?: readonly GpuState[]
}

/** Nodes belong to `reserved` or `on-demand`. `best-effort` jobs use idle GPUs of any pool and may be preempted. */
export type Pool = 'reserved' | 'on-demand' | 'best-effort'

/** The resources of one instance, and the number of instances. */
export interface ResourceRequest {
  gpuCount: number
  /** The share of each GPU; 1000 unless the job requested a fraction. */
  gpuMilli: number
  /** Minimum memory of each GPU; null: any. */
  gpuMemoryMib: number | null
  /** Null: the node's share for each GPU held. */
  cpuMilli: number | null
  memoryMib: number | null
  /** Allowed GPU positions; null: any. */
  allowedGpus: readonly number[] | null
  /** Case-insensitive parts of the model name, separated by `|`; null: any model. */
  gpuModel: string | null
  /** Number of nodes; the job gets all of them at once or none (gang scheduling). */
  instances: number
  pool: Pool
  /** The requesting job, if it runs only on nodes provisioned for it. Undefined or null: any node. */
  dedicatedTo?: string | null
}

/** The properties of a job that determine its position in the queue. */
export interface JobFacts {
  id: string
  projectId: string
  userId: string
  /** The token with which it was submitted. Undefined or null: none. */
  tokenId?: string | null
  request: ResourceRequest
  /** Expected run time in milliseconds. */
  expectedMs: number
  /** Run times of similar jobs, sorted, from which forecasts sample. Undefined or empty: none are known. */
  possibleMs?: readonly number[]
  submittedAt: number
}

export interface WaitingJob extends JobFacts {
  /** Attempts already made; the placement is for the next one. */
  attempt: number
  priority: number
  /** End of the retry backoff, or of a budget that is used up; the job is not placed before this time. */
  notBefore: number | null
  /** Says which of its budgets is used up. Undefined or null: none. */
  usedUp?: string | null
}

/** A job that holds nodes. */
export interface RunningJob extends JobFacts {
  /** What its expected run time is based on. Only explanations use it. */
  prediction?: Pick<Prediction, 'basis' | 'jobs' | 'firstMs'>
  tasks: readonly TaskPlacement[]
  /** When it started, or was placed if it has not started. */
  startedAt: number
  /** Whether it is being preempted. */
  terminating: boolean
}

/** A project's share of the cluster. Usage is in GPU milliseconds, decayed up to the time of the snapshot. */
export interface ProjectShare {
  id: string
  weight: number
  /** Maximum thousandths of GPUs that its jobs hold at once; null: unlimited. */
  quotaMilli: number | null
  usage: number
  userUsage: readonly { userId: string; usage: number }[]
  /** Maximum thousandths of GPUs that a user's jobs in all projects hold at once while one of this project starts. */
  userLimits: readonly { userId: string; milli: number }[]
}

/** Maximum thousandths of GPUs that the jobs of a token hold at once. */
export interface TokenLimit {
  tokenId: string
  /** For people. Only explanations use it. */
  name: string
  milli: number
}

export type PolicyName = 'priority' | 'fcfs' | 'sjf' | 'fair_share'

export interface Policy {
  name: PolicyName
  /** False: nothing is placed. */
  running: boolean
  /** Maximum number of running jobs; null: unlimited. */
  maxConcurrentJobs: number | null
  backfill: boolean
  /** Waiting time that counts like one step of priority. */
  ageingMs: number
  /** Time after which usage counts half under fair_share. */
  halfLifeMs: number
}

export interface Snapshot {
  /** Database time of the snapshot, in milliseconds since the epoch. */
  now: number
  policy: Policy
  nodes: readonly NodeState[]
  running: readonly RunningJob[]
  waiting: readonly WaitingJob[]
  /** A project that is not listed has weight 1, no quota, no user limits and no usage. */
  projects: readonly ProjectShare[]
  /** Undefined: no token has a limit. */
  tokenLimits?: readonly TokenLimit[]
  /** Expected kinds of jobs; if empty, those that wait and run now. */
  workload: readonly Demand[]
}

/** One kind of job, and its frequency among all jobs. */
export interface Demand {
  request: ResourceRequest
  weight: number
}

export interface TaskPlacement {
  rank: number
  nodeId: string
  gpus: readonly { id: string; milli: number }[]
  cpuMilli: number
  memoryMib: number
}

/** All tasks of one job. */
export interface Placement {
  jobId: string
  attempt: number
  tasks: readonly TaskPlacement[]
}

/** A job to preempt, and the job that gets its GPUs. */
export interface Preemption {
  jobId: string
  forJobId: string
}

/** What starts now. */
export interface Decision {
  placements: readonly Placement[]
  preemptions: readonly Preemption[]
}

export type Dimension = 'node' | 'pool' | 'gpu' | 'cpu' | 'memory'

/** Each refusal names the dimension that did not fit. */
export type Fit = { ok: true; task: Omit<TaskPlacement, 'rank'> } | { ok: false; dimension: Dimension }
