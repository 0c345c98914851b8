/**
 * Why a job is where it is. Status says where, the reason says why, and `fault` tells whose fault it is:
 * only the system's faults are retried.
 */

export const endReasons = {
  finished: { fault: 'none', message: 'The program ended with exit code 0.' },
  exit_code: { fault: 'user', message: 'The program ended with an error.' },
  timeout: { fault: 'user', message: 'The job ran longer than its time limit and was stopped.' },
  out_of_memory: { fault: 'user', message: 'The job used more memory than its limit and was stopped.' },
  output_limit: { fault: 'user', message: 'The job printed more than the output limit and was stopped.' },
  checkpoint_limit: {
    fault: 'user',
    message: "The run's checkpoints took more room than they may, and the job was stopped.",
  },
  cancelled_by_user: { fault: 'none', message: 'The job was cancelled by its owner.' },
  cancelled_by_admin: { fault: 'none', message: 'The job was cancelled by an admin.' },
  image_unavailable: { fault: 'system', message: "The environment's image could not be had on the node." },
  workspace_unavailable: {
    fault: 'system',
    message: "The project's shared directory could not be used on the node.",
  },
  node_lost: { fault: 'system', message: 'The node running the job stopped answering.' },
  worker_stopped: { fault: 'system', message: 'The worker was stopped while the job ran.' },
  preempted: { fault: 'system', message: 'The job gave its GPUs to one of a pool that goes first.' },
  peers_missing: { fault: 'system', message: 'Not all instances of the job could be made ready in time.' },
  peer_failed: { fault: 'system', message: 'Another instance of the job failed or was stopped.' },
  not_provisioned: { fault: 'system', message: 'The nodes for this job alone could not be brought up.' },
  internal_error: { fault: 'system', message: 'gpuq could not run the job.' },
  not_assignable: { fault: 'system', message: 'No node could take the job, as often as it was tried.' },
} as const satisfies Record<string, { fault: 'none' | 'user' | 'system'; message: string }>

export const waitReasons = {
  no_free_gpu: { message: 'What the job asks for is not free now.' },
  gang_waiting: { message: 'The job needs several nodes at once, and not enough of them are free.' },
  reserved: { message: 'A GPU is free, but kept for a job that is ahead and starts soon.' },
  gpu_paused: { message: 'GPUs that fit are paused by an admin, and the others are not enough.' },
  gpu_busy_outside: {
    message: 'GPUs that fit are in use by others than gpuq, or do not answer, and the rest is not enough.',
  },
  node_unavailable: { message: 'The nodes that fit take no jobs now.' },
  quota: { message: 'The project holds as many GPUs as its quota allows.' },
  budget: { message: 'The project has used up its GPU hours. An admin can raise its budget.' },
  max_concurrent_jobs: { message: 'As many jobs run as the policy allows at once.' },
  stopped: { message: 'The scheduler is stopped. An admin can start it.' },
  no_node: { message: 'No node is ready to run jobs. An admin can start a worker.' },
  provisioning: { message: 'The nodes for this job alone are being brought up.' },
  never_fits: { message: 'No node has what the job asks for.' },
  backing_off: { message: 'The last attempt failed for a reason of the system. The job tries again soon.' },
} as const satisfies Record<string, { message: string }>

export type CancelReason = 'cancelled_by_user' | 'cancelled_by_admin'
export type EndReason = keyof typeof endReasons
export type WaitReason = keyof typeof waitReasons
export type Reason = EndReason | WaitReason

/** The sentence that a person reads for a reason, and the detail behind it. */
export function describeReason(reason: Reason, detail: string | null = null): string {
  const { message } =
    reason in endReasons ? endReasons[reason as EndReason] : waitReasons[reason as WaitReason]
  return detail ? `${message} ${detail}` : message
}

/** The same for the columns of a job, which has no reason while all is well. */
export function reasonText(job: { reason: string | null; reason_detail: string | null }): string | null {
  return job.reason === null ? null : describeReason(job.reason as Reason, job.reason_detail)
}
