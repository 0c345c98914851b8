import type { ClaimedTask } from '@/lib/cluster/tasks'
import { storedSpecSchema } from '@/lib/jobs/stored-spec'

/** The rank that a task's records carry; undefined for a job with one task, whose records say nothing of ranks. */
export function shownRank({ spec, rank }: Pick<ClaimedTask, 'spec' | 'rank'>): number | undefined {
  return storedSpecSchema.parse(spec).instance_count > 1 ? rank : undefined
}
