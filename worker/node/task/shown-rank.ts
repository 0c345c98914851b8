import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'

/** The rank that a task's records carry; undefined for a job with one task, whose records say nothing of ranks. */
export function shownRank({ instances, rank }: Pick<ClaimedTask, 'instances' | 'rank'>): number | undefined {
  return instances > 1 ? rank : undefined
}
