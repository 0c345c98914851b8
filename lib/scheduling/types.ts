/** What the pure scheduler reads and writes. Sizes: thousandths of a core, MiB, thousandths of a GPU; times: ms. */

export interface GpuState {
  id: string
  /** Position on its node, as `allowed_gpus` names it. */
  index: number
  memoryMib: number
  allocatedMilli: number
  /** False while it may not be given out: gone from the node. */
  usable: boolean
}

export interface NodeState {
  id: string
  /** False while it takes nothing new: draining, or lost. */
  ready: boolean
  cpuMilli: number
  memoryMib: number
  usedCpuMilli: number
  usedMemoryMib: number
  gpus: readonly GpuState[]
}

/** What one instance of a job asks for. */
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
  /** Part of the model's name, in any case; null: any model. */
  gpuModel: string | null
  /** Nodes the job runs on at once: all of them or none. */
  instances: number
  /** `reserved` and `on-demand` are nodes' own; `best-effort` takes what is idle anywhere, and gives it back when asked. */
  pool: Pool
}

export type Pool = 'reserved' | 'on-demand' | 'best-effort'

export interface WaitingJob {
  id: string
  /** Attempts already made; the placement is for the next. */
  attempt: number
  priority: number
  submittedAt: number
  /** Not placed before this time: backing off after a failure of the system. */
  notBefore: number | null
  request: ResourceRequest
}

export interface Snapshot {
  nodes: readonly NodeState[]
  waiting: readonly WaitingJob[]
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

export type WaitCause = 'no_free_gpu' | 'no_node' | 'never_fits' | 'backing_off'

export interface Waiting {
  jobId: string
  reason: WaitCause
  /** What exactly is missing, in a sentence; null when the reason says it all. */
  detail: string | null
}

export interface Plan {
  placements: readonly Placement[]
  waiting: readonly Waiting[]
}

export type Dimension = 'node' | 'gpu' | 'cpu' | 'memory'

/** Every refusal says which dimension it was. */
export type Fit = { ok: true; task: Omit<TaskPlacement, 'rank'> } | { ok: false; dimension: Dimension }
