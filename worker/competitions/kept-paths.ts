import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { findDeclaredPaths } from '@/lib/competitions/scoring/find-outputs'
import { seedVariable } from '@/lib/competitions/scoring/variables'

/**
 * Finds the paths of the files that are kept of an entry: its declared outputs. Nobody reads what else its program left, and the account of
 * a competition has no storage quota that would stop a participant who fills the store. Null: the task is of no entry.
 */
export async function findKeptPaths({
  jobId,
  spec,
}: Pick<ClaimedTask, 'jobId' | 'spec'>): Promise<ReadonlySet<string> | null> {
  return spec.env[seedVariable] === undefined ? null : findDeclaredPaths(jobId)
}
