import type { JobDetail } from '@/lib/contract/jobs'

/** What a command ends with. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, cancelled: 130 } as const

/** A job's own exit code: that of its program, where the program is what failed. */
export function exitCodeOf({ status, exit_code }: Pick<JobDetail, 'status' | 'exit_code'>): number {
  if (status === 'completed') return exitCodes.ok
  if (status === 'cancelled') return exitCodes.cancelled
  if (status === 'failed' && exit_code !== null && exit_code > 0 && exit_code < 256) return exit_code
  return exitCodes.failed
}
