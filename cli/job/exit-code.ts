import type { JobDetail } from '@/lib/contract/jobs'

/** The exit codes of commands. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, cancelled: 130 } as const

/** The exit code for a job: that of its program if the program failed. */
export function exitCodeOf({ status, exit_code }: Pick<JobDetail, 'status' | 'exit_code'>): number {
  if (status === 'completed') return exitCodes.ok
  if (status === 'cancelled') return exitCodes.cancelled
  if (status === 'failed' && exit_code !== null && exit_code > 0 && exit_code < 256) return exit_code
  return exitCodes.failed
}
