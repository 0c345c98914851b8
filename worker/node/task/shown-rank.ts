import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'

/** The rank in a task's records; undefined for a job with one task, whose records have no rank. */
export function shownRank({ instances, rank }: Pick<ClaimedTask, 'instances' | 'rank'>): number | undefined {
  return instances > 1 ? rank : undefined
}
