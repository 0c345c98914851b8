/**
 * What gpuq needs from a Slurm cluster. There are two transports: the commands of a submit host, and slurmrestd.
 * Units: GiB are never used here; memory is in MiB, CPU in whole cores, times in seconds or as Date.
 */
export interface SlurmClient {
  /** Such as `22.05.8`. */
  version(): Promise<string>
  /** Whether Slurm keeps accounting records, so that it knows ended jobs for longer than a few minutes. */
  hasAccounting(): Promise<boolean>
  /**
   * Submits a batch job and returns its id.
   * @throws SlurmRefusal if Slurm refuses the job; SlurmUnavailable if the controller does not answer: then the job may
   * have been accepted.
   */
  submit(submission: SlurmSubmission): Promise<number>
  /** All jobs of all users that the controller knows, including those that ended a few minutes ago. One call. */
  listJobs(): Promise<SlurmJobState[]>
  /** The states of ended jobs from the accounting, in one call. Empty without accounting. */
  findEnded(ids: readonly number[]): Promise<SlurmJobState[]>
  listNodes(): Promise<SlurmNodeState[]>
  listPartitions(): Promise<SlurmPartition[]>
  /**
   * Cancels jobs. A job that has ended is no error.
   * @param unixUser the account that owns them, as in their submission
   */
  cancel(ids: readonly number[], unixUser: string | null): Promise<void>
  /** Forbids or permits that waiting jobs start. A job that has ended is no error. */
  setHeld(ids: readonly number[], held: boolean, unixUser: string | null): Promise<void>
  /**
   * A higher value is a lower priority. A job that has ended is no error.
   * @throws SlurmRefusal if the account may not lower the value
   */
  setNice(id: number, nice: number, unixUser: string | null): Promise<void>
  /**
   * Drains a node with a reason, or resumes it (null).
   * @throws SlurmRefusal if the account of gpuq is no operator of Slurm
   */
  setDrained(node: string, reason: string | null): Promise<void>
}

/** What a job asks of each node: `gpus` whole GPUs, or `shards` parts of one GPU. */
export interface SlurmSubmission {
  /** The Slurm job's name: only letters, digits, `_`, `.` and `-`. */
  name: string
  /** Finds the job again after a lost answer: `gpuq:<id of the row in slurm_jobs>`. */
  comment: string
  /** The text of the batch script. It contains nothing that a user wrote. */
  script: string
  nodes: number
  gpus: number
  /** Slurm's name for the type of GPU; null: any. */
  gpuType: string | null
  shards: number
  cpus: number
  memoryMib: number
  timeLimitS: number
  /** Seconds between SIGTERM to the batch script and the end of the time limit. */
  graceS: number
  nice: number
  account: string | null
  partition: string | null
  qos: string | null
  reservation: string | null
  /** Such as `afterok:12`; null: none. */
  dependency: string | null
  /** Whether Slurm may start the job again after a node failed or after a preemption. */
  requeue: boolean
  /** The Unix account that owns the job; null: the account of gpuq. */
  unixUser: string | null
}

/** Slurm's state of one job, in Slurm's words. */
export interface SlurmJobState {
  id: number
  /**
   * Such as PENDING, RUNNING, SUSPENDED, COMPLETED, NODE_FAIL. COMPLETING and other states of a change hide the final state
   * until it is over.
   */
  state: string
  /** Slurm's reason, such as Priority or BadConstraints; null: none. */
  reason: string | null
  comment: string
  user: string
  name: string
  partition: string
  nodes: string[]
  /** GPUs on all nodes. */
  gpus: number
  cpus: number
  nice: number
  held: boolean
  restarts: number
  /** The exit code of the batch script, or 128 plus the signal that killed it; null: it has not ended. */
  exitCode: number | null
  submittedAt: Date | null
  /** Expected, if the job is pending. */
  startsAt: Date | null
  startedAt: Date | null
  endedAt: Date | null
  /** Its time limit in seconds; null: none. */
  limitS: number | null
}

export interface SlurmNodeState {
  name: string
  /** Slurm's state flags, such as ['IDLE', 'DRAIN']. */
  states: string[]
  /** Why an admin or Slurm drained it; null: no reason is set. */
  reason: string | null
  partitions: string[]
  cpus: number
  usedCpus: number
  memoryMib: number
  usedMemoryMib: number
  /** GPUs by type; `type` is null where Slurm has none. */
  gpus: { type: string | null; count: number; used: number }[]
}

export interface SlurmPartition {
  name: string
  isDefault: boolean
  state: string
  nodes: number
  /** Nodes of one job. Null: unlimited. */
  maxNodes: number | null
  /** Null: unlimited. */
  maxTimeS: number | null
}

/** Slurm refuses a submission, and will refuse it again. The message is Slurm's. */
export class SlurmRefusal extends Error {}

/** The controller did not answer, or an answer was lost. The request may have been carried out. */
export class SlurmUnavailable extends Error {}
