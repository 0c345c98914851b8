import { idPattern } from '../contract/id-pattern'

/**
 * Returns `{user_id}_{competition_id}_{timestamp}.jsonl`. Equal for two jobs of the same user, competition and
 * millisecond.
 */
export function resultFileName(userId: string, competitionId: string, at: Date): string {
  for (const id of [userId, competitionId]) {
    if (!idPattern.test(id))
      throw new Error(
        'A file name cannot contain this id. Ids have 1 to 64 letters, digits, hyphens, underscores and dots.',
      )
  }
  return `${userId}_${competitionId}_${at.toISOString().replace(/[-:]/g, '')}.jsonl`
}

/** The key of a result in the store. */
export function resultKey(name: string): string {
  return `results/${name}`
}

/** The key of an artifact in the store. */
export function artifactKey(task: { jobId: string; attempt: number; rank: number }, id: string): string {
  return `artifacts/${task.jobId}/${task.attempt}/${task.rank}/${id}`
}
