/** What the pure scheduler reads and writes. Sizes: thousandths of a core, MiB, thousandths of a GPU; times: ms. */

/** Why a GPU may not be given out although it has room. */
export type GpuBlock = 'paused' | 'outside' | 'missing'

export interface GpuState {
  id: string
  /** Position on its node, as `allowed_gpus` names it. */
  index: number
  model: string
  memoryMib: number
  allocatedMilli: number
  blocked: GpuBlock | null
}

/** Why a node takes nothing new. */
export type NodeBlock = 'paused' | 'quarantined' | 'draining' | 'lost'

export interface NodeState {
  id: string
  blocked: NodeBlock | null
  pool: Exclude<Pool, 'best-effort'>
  /** The job that it was brought up for: others never run there. Left out: anybody's. */
  dedicatedTo?: string | null
  cpuMilli: number
  memoryMib: number
  usedCpuMilli: number
  usedMemoryMib: number
  gpus: readonly GpuState[]
}

/** `reserved` and `on-demand` are nodes' own; `best-effort` takes what is idle anywhere, and gives it back when asked. */
export type Pool = 'reserved' | 'on-demand' | 'best-effort'

/** What one instance of a job asks for, and how many there are. */
export interface ResourceRequest {
  gpuCount: number
  /** The share of each GPU; 1000 unless the job asked for a fraction. */
  gpuMilli: number
  /** GPUs with less memory do not fit. */
  gpuMemoryMib: number | null
  /** Null: the node's share per GPU held. */
  cpuMilli: number | null
  memoryMib: number | null
  /** GPU positions that may be used; null: any. */
  allowedGpus: readonly number[] | null
  /** Part of the model's name, in any case, several with `|` between; null: any model. */
  gpuModel: string | null
  /** Nodes the job runs on at once: all of them or none. */
  instances: number
  pool: Pool
  /** The job that asks, where it runs on nodes brought up for it alone. Left out: on anybody's nodes. */
  dedicatedTo?: string | null
}

/** What of a job decides about its turn. */
export interface JobFacts {
  id: string
  projectId: string
  userId: string
  request: ResourceRequest
  /** How long it is expected to run. */
  expectedMs: number
}

export interface WaitingJob extends JobFacts {
  /** Attempts already made; the placement is for the next. */
  attempt: number
  priority: number
  submittedAt: number
  /** Not placed before this time: backing off after a failure of the system. */
  notBefore: number | null
}

/** A job that holds nodes. */
export interface RunningJob extends JobFacts {
  tasks: readonly TaskPlacement[]
  /** When it began, or was placed where it has not begun. */
  startedAt: number
  /** It was told to give its GPUs back. */
  leaving: boolean
}

/** A project's part in the cluster. Uses are GPU milliseconds, older ones counted less, up to the snapshot's time. */
export interface ProjectShare {
  id: string
  weight: number
  /** Thousandths of GPUs that its jobs may hold at once; null: any number. */
  quotaMilli: number | null
  /** Its GPU hours are used up. */
  exhausted: boolean
  usage: number
  userUsage: readonly { userId: string; usage: number }[]
}

export type PolicyName = 'priority' | 'fcfs' | 'sjf' | 'fair_share'

export interface Policy {
  name: PolicyName
  /** False: nothing is placed. */
  running: boolean
  /** Jobs that may hold nodes at once; null: as many as fit. */
  maxConcurrentJobs: number | null
  backfill: boolean
  /** Waiting so long is worth one step of priority. */
  ageingMs: number
  /** After so long, use counts half under fair_share. */
  halfLifeMs: number
}

export interface Snapshot {
  /** The database's time of the snapshot. */
  now: number
  policy: Policy
  nodes: readonly NodeState[]
  running: readonly RunningJob[]
  waiting: readonly WaitingJob[]
  /** Those that are not named here have weight 1, no quota and no use. */
  projects: readonly ProjectShare[]
  /** What kinds of jobs are to be expected; empty: like those that wait and run. */
  workload: readonly Demand[]
}

/** One kind of job, and how many of all jobs are of it. */
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

/** All tasks of one job, or none. */
export interface Placement {
  jobId: string
  attempt: number
  tasks: readonly TaskPlacement[]
}

/** A job that must give its GPUs back, and for whom. */
export interface Preemption {
  jobId: string
  forJobId: string
}

export type WaitCause =
  | 'no_free_gpu'
  | 'gang_waiting'
  | 'reserved'
  | 'gpu_paused'
  | 'gpu_busy_outside'
  | 'node_unavailable'
  | 'no_node'
  | 'provisioning'
  | 'never_fits'
  | 'backing_off'
  | 'quota'
  | 'budget'
  | 'max_concurrent_jobs'
  | 'stopped'

export interface Waiting {
  jobId: string
  reason: WaitCause
  /** What exactly is missing, in a sentence; null when the reason says it all. */
  detail: string | null
  /** Ids of the nodes or GPUs that somebody or something holds back, where those are the reason. Left out: none are. */
  unavailable?: readonly string[]
}

export interface Plan {
  placements: readonly Placement[]
  preemptions: readonly Preemption[]
  waiting: readonly Waiting[]
  /** Waiting jobs that may start the moment another ends, without a pass between, in their turn. */
  next: readonly string[]
}

export type Dimension = 'node' | 'pool' | 'gpu' | 'cpu' | 'memory'

/** Every refusal says which dimension it was. */
export type Fit = { ok: true; task: Omit<TaskPlacement, 'rank'> } | { ok: false; dimension: Dimension }
