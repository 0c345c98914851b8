import type { JobDetail } from '@/lib/contract/jobs'
import { endReasons } from '@/lib/contract/reasons'

/** Whether a job failed because of its program or config. gpuq retries after the other faults. */
export function failedByUser({ status, reason }: Pick<JobDetail, 'status' | 'reason'>): boolean {
  const known = Object.entries(endReasons).find(([name]) => name === reason)?.[1]
  return status === 'failed' && known?.fault !== 'system'
}
