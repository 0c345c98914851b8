import type { JobSummary } from '@/lib/contract/jobs'
import type { Reason } from '@/lib/contract/reasons'

const words: Readonly<Record<string, string>> = {
  finished: '',
  exit_code: 'error',
  timeout: 'time limit',
  out_of_memory: 'out of memory',
  output_limit: 'output limit',
  checkpoint_limit: 'checkpoint limit',
  cancelled_by_user: '',
  cancelled_by_admin: 'by an admin',
  image_unavailable: 'no image',
  workspace_unavailable: 'no shared directory',
  node_lost: 'node lost',
  worker_stopped: 'worker stopped',
  preempted: 'gave way',
  peers_missing: 'not all ready',
  peer_failed: 'another instance failed',
  not_provisioned: 'no nodes',
  provisioning: 'brings up nodes',
  internal_error: 'fault of gpuq',
  not_assignable: 'no node took it',
  no_free_gpu: 'no free GPU',
  gang_waiting: 'needs more nodes',
  reserved: 'kept for another',
  gpu_paused: 'GPU paused',
  gpu_busy_outside: 'GPU in use outside',
  node_unavailable: 'node unavailable',
  quota: 'quota',
  budget: 'budget used up',
  max_concurrent_jobs: 'enough jobs run',
  stopped: 'scheduler stopped',
  no_node: 'no node',
  never_fits: 'too large',
  backing_off: 'tries again soon',
} satisfies Record<Reason, string>

/** Why a job is in its status, in a word or two for a row of a table; empty where the status says it all. */
export function shortReason({ reason, exit_code }: Pick<JobSummary, 'reason' | 'exit_code'>): string {
  if (reason === null) return ''
  if (reason === 'exit_code' && exit_code !== null) return `exit code ${exit_code}`
  return words[reason] ?? reason.replaceAll('_', ' ')
}
