/** Why a job has its status. `fault` says who caused an end: gpuq retries only after faults of the system. */
export const endReasons = {
  finished: { fault: 'none', message: 'The program ended with exit code 0.' },
  exit_code: { fault: 'user', message: 'The program ended with an error.' },
  timeout: { fault: 'user', message: 'The job ran longer than its time limit and was stopped.' },
  out_of_memory: { fault: 'user', message: 'The job used more memory than its limit and was stopped.' },
  idle_gpu: {
    fault: 'user',
    message: 'The GPUs of the job were idle for longer than the policy allows, so the job was stopped.',
  },
  output_limit: { fault: 'user', message: 'The job printed more than the output limit and was stopped.' },
  checkpoint_limit: {
    fault: 'user',
    message: "The run's checkpoints exceeded their limit, so the job was stopped.",
  },
  cancelled_by_user: { fault: 'none', message: 'The job was cancelled by its owner.' },
  cancelled_by_admin: { fault: 'none', message: 'The job was cancelled by an admin.' },
  cancelled_by_manager: { fault: 'none', message: 'The job was cancelled by a manager of its project.' },
  token_stopped: {
    fault: 'none',
    message: 'The token with which the job was submitted was stopped with its jobs.',
  },
  approval_refused: { fault: 'none', message: 'Nobody approved the job.' },
  cancelled_in_slurm: { fault: 'none', message: 'The job was cancelled in Slurm, outside gpuq.' },
  stopped_early: {
    fault: 'none',
    message: 'The group of the job stopped it early, because other members were better at the same step.',
  },
  budget_used_up: {
    fault: 'user',
    message: 'A budget of GPU hours that the job belongs to was used up, so the job was stopped.',
  },
  group_paused: {
    fault: 'none',
    message: 'The group of the job paused it, because other members were better at the same step.',
  },
  dependency_failed: { fault: 'user', message: 'A job or group that this job depends on did not complete.' },
  dependency_completed: {
    fault: 'none',
    message: 'The job was to start only after another job or group failed, and that one completed.',
  },
  slurm_refused: { fault: 'user', message: 'Slurm refused the job.' },
  slurm_requeued: { fault: 'system', message: 'Slurm stopped the job and put it back into its queue.' },
  slurm_stopped: { fault: 'system', message: 'Slurm stopped the job while it ran.' },
  image_unavailable: { fault: 'system', message: "The node could not get the environment's image." },
  workspace_unavailable: {
    fault: 'system',
    message: 'The node could not use a directory that the job needs.',
  },
  snapshot_unavailable: {
    fault: 'system',
    message: 'The node could not provide a snapshot that the job mounts.',
  },
  internet_unavailable: {
    fault: 'system',
    message: 'The node could not give the job access to the internet.',
  },
  node_lost: { fault: 'system', message: 'The node running the job stopped answering.' },
  worker_stopped: { fault: 'system', message: 'The worker was stopped while the job ran.' },
  engine_restarted: {
    fault: 'system',
    message: "The node's container engine restarted or did not answer while the job ran.",
  },
  preempted: {
    fault: 'system',
    message: 'The job was stopped, because a job that may take its GPUs needs them.',
  },
  peers_missing: { fault: 'system', message: 'Not all instances of the job were ready in time.' },
  peer_failed: { fault: 'system', message: 'Another instance of the job failed or was stopped.' },
  not_provisioned: { fault: 'system', message: 'The nodes for this job could not be started.' },
  internal_error: { fault: 'system', message: 'gpuq could not run the job.' },
  never_fits: {
    fault: 'user',
    message: 'The job was removed from the queue, because no node had what it needs.',
  },
  not_assignable: { fault: 'system', message: 'No node accepted the job in the allowed number of attempts.' },
} as const satisfies Record<string, { fault: 'none' | 'user' | 'system'; message: string }>

export const waitReasons = {
  no_free_gpu: { message: 'The GPUs, CPUs or memory that the job needs are not free.' },
  gang_waiting: { message: 'The job needs several nodes at once, and not enough of them are free.' },
  reserved: { message: 'A GPU is free, but it is reserved for an earlier job that starts soon.' },
  gpu_paused: { message: 'An admin paused matching GPUs, and the others are not enough.' },
  gpu_busy_outside: {
    message:
      'Matching GPUs are used by programs outside gpuq or do not answer, and the others are not enough.',
  },
  node_unavailable: { message: 'No node that is large enough accepts jobs now.' },
  quota: { message: 'The project has too few GPUs left in its quota.' },
  max_concurrent_gpus: {
    message: "The user's running jobs leave too few GPUs within the limit max_concurrent_gpus.",
  },
  token_max_gpus: { message: 'The running jobs of the token leave too few GPUs within its limit max_gpus.' },
  budget: { message: 'A budget of GPU hours that the job belongs to is used up.' },
  max_concurrent_jobs: { message: 'The maximum number of jobs that the policy allows is running.' },
  stopped: { message: 'The scheduler is stopped. An admin can start it.' },
  no_node: { message: 'No node is ready to run jobs. An admin can start a worker.' },
  provisioning: { message: 'The nodes for this job are starting.' },
  never_fits: { message: 'No node has what the job needs.' },
  backing_off: { message: 'The last attempt failed. gpuq retries the job soon.' },
  dependency: { message: 'The job waits for other jobs or groups.' },
  approval_needed: { message: 'The job waits until a person approves it.' },
  held: { message: 'The job is held. Release it to let it start.' },
  group_paused: {
    message:
      'The group of the job paused it, because other members were better at the same step. It continues from its checkpoints if it is among the best later.',
  },
  slurm_submitting: { message: 'gpuq is submitting the job to Slurm.' },
  slurm_pending: { message: 'The job waits in Slurm.' },
  slurm_starting: { message: 'Slurm has started the job, and no worker of gpuq has accepted it yet.' },
  slurm_held: { message: 'The job is held in Slurm.' },
  slurm_unreachable: {
    message: 'Slurm does not answer. gpuq keeps the job and submits it when Slurm answers again.',
  },
} as const satisfies Record<string, { message: string }>

/** The reasons of waiting jobs that cannot start by themselves: no limit of active jobs or of the queue counts them. */
export const inactiveWaits = [
  'dependency',
  'approval_needed',
  'group_paused',
] as const satisfies readonly WaitReason[]

/** Why a running job does not make progress. */
const runReasons = {
  slurm_suspended: { message: 'Slurm suspended the job. Its program is paused until Slurm resumes it.' },
} as const satisfies Record<string, { message: string }>

/** The end reasons of cancelled jobs. */
export const cancelReasons = [
  'cancelled_by_user',
  'cancelled_by_admin',
  'cancelled_by_manager',
  'token_stopped',
  'approval_refused',
  'cancelled_in_slurm',
  'stopped_early',
  'budget_used_up',
  'dependency_failed',
  'dependency_completed',
] as const satisfies readonly (keyof typeof endReasons)[]
export type CancelReason = (typeof cancelReasons)[number]
export type EndReason = keyof typeof endReasons
/** Why a running job is told to stop: by a person, by the policy, or by its group. */
export type RequestedStop = CancelReason | 'idle_gpu' | 'group_paused'
/** Why a running job must stop because Slurm ended it. */
export type SlurmStopReason = Extract<
  EndReason,
  | 'cancelled_in_slurm'
  | 'slurm_requeued'
  | 'slurm_stopped'
  | 'timeout'
  | 'out_of_memory'
  | 'node_lost'
  | 'preempted'
>
export type WaitReason = keyof typeof waitReasons
export type Reason = EndReason | WaitReason | keyof typeof runReasons

const messages = { ...waitReasons, ...runReasons, ...endReasons }
/** A job that waits may have the reason of its last attempt. */
const waitMessages = { ...endReasons, ...runReasons, ...waitReasons }

export function isCancelReason(reason: EndReason): reason is CancelReason {
  return (cancelReasons as readonly EndReason[]).includes(reason)
}

/** The message of the reason of an end, followed by the detail. */
export function describeReason(reason: Reason, detail: string | null = null): string {
  return withDetail(messages[reason].message, detail)
}

/** How the detail of a wait begins that does not end by itself. Such a detail says everything. */
export const cannotStart = 'This job cannot start'
/** The same where more nodes may be started. */
export const cannotStartYet = 'No node is large enough now'

/** Says the detail of a wait as the detail of an end: "This job cannot start: it asks for …" becomes "It asks for …". */
export function toEndDetail(detail: string): string {
  const start = [cannotStart, cannotStartYet].find((one) => detail.startsWith(`${one}: `))
  const why = start === undefined ? detail : detail.slice(start.length + 2)
  return why.charAt(0).toUpperCase() + why.slice(1)
}

/** Whether a waiting job cannot start as it is, so that its place in the queue says nothing. */
export function isStuck({
  reason,
  reason_text: text,
}: {
  reason: string | null
  reason_text: string | null
}) {
  return reason === 'never_fits' || (text?.startsWith(cannotStart) ?? false)
}

/** The message of the reason why a job waits, followed by the detail. One word can be the reason of a wait and of an end. */
export function describeWait(reason: Reason, detail: string | null = null): string {
  if (detail?.startsWith(cannotStart) || detail?.startsWith(cannotStartYet)) return detail
  return withDetail(waitMessages[reason].message, detail)
}

function withDetail(message: string, detail: string | null): string {
  return detail ? `${message} ${detail}` : message
}

/** What the reason of an ended job says beside the end itself, such as files that were not kept; null: nothing. */
export function endNote(job: { reason: string | null; reason_text: string | null }): string | null {
  const { reason, reason_text: text } = job
  if (text === null || (reason !== 'finished' && reason !== 'exit_code')) return null
  const { message } = endReasons[reason]
  const detail = text.startsWith(message) ? text.slice(message.length) : ''
  return detail.replace(/^ (?:Rank .* ended with e|E)xit code \d+(?: \(\w+\))?\./, '').trim() || null
}

/** The reason of a job, of its wait or of its end, from its columns; null if it has no reason. */
export function reasonText(job: {
  status: string
  reason: string | null
  reason_detail: string | null
}): string | null {
  if (job.reason === null) return null
  const textOf = job.status === 'pending' ? describeWait : describeReason
  return textOf(job.reason as Reason, job.reason_detail)
}
