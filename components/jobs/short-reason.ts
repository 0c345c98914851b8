import type { JobSummary } from '@/lib/contract/jobs'
import type { Reason } from '@/lib/contract/reasons'

/** What a table row says instead of the name of the reason. They are here and not with the sentences, which lists do not load. */
const labels: Readonly<Record<string, string>> = {
  finished: '',
  exit_code: 'error',
  timeout: 'time limit',
  idle_gpu: 'idle GPUs',
  cancelled_by_user: '',
  cancelled_by_admin: 'by an admin',
  cancelled_by_manager: 'by a manager',
  cancelled_in_slurm: 'in Slurm',
  stopped_early: 'stopped early',
  budget_used_up: 'budget used up',
  group_paused: 'paused by its group',
  slurm_refused: 'refused by Slurm',
  slurm_requeued: 'requeued by Slurm',
  slurm_stopped: 'stopped by Slurm',
  workspace_unavailable: 'no shared directory',
  internet_unavailable: 'no internet access',
  peers_missing: 'instances not ready',
  peer_failed: 'another instance failed',
  not_provisioned: 'nodes not started',
  provisioning: 'starting nodes',
  internal_error: 'gpuq error',
  not_assignable: 'no node accepted it',
  no_free_gpu: 'no free GPU',
  gang_waiting: 'needs more nodes',
  reserved: 'reserved for another job',
  gpu_paused: 'GPU paused',
  gpu_busy_outside: 'GPU used by others',
  budget: 'budget used up',
  max_concurrent_gpus: 'GPU limit reached',
  token_max_gpus: 'GPU limit of the token',
  max_concurrent_jobs: 'job limit reached',
  stopped: 'scheduler stopped',
  never_fits: 'cannot start',
  backing_off: 'retrying soon',
  slurm_submitting: 'submitting to Slurm',
  slurm_pending: 'waits in Slurm',
  slurm_starting: 'no worker accepted it yet',
  slurm_suspended: 'suspended in Slurm',
  dependency: 'waits for others',
  slurm_held: 'held in Slurm',
  slurm_unreachable: 'Slurm does not answer',
} satisfies Partial<Record<Reason, string>>

/** The reason of a job's status in a few words, for a table row. Empty if the status is enough. */
export function shortReason({ reason, exit_code }: Pick<JobSummary, 'reason' | 'exit_code'>): string {
  if (reason === null) return ''
  if (reason === 'exit_code' && exit_code !== null) return `exit ${exit_code}`
  return labels[reason] ?? reason.replaceAll('_', ' ')
}
