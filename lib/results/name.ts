import { idPattern } from '../contract/jobs'

/** `{user_id}_{competition_id}_{timestamp}.jsonl`. Two jobs of one millisecond share it. */
export function resultFileName(userId: string, competitionId: string, at: Date): string {
  for (const id of [userId, competitionId]) {
    if (!idPattern.test(id)) throw new Error('An id cannot be part of a file name.')
  }
  return `${userId}_${competitionId}_${at.toISOString().replace(/[-:]/g, '')}.jsonl`
}

/** Where a result lies in the store. */
export function resultKey(name: string): string {
  return `results/${name}`
}

/** The key of an artifact in the store. */
export function artifactKey(task: { jobId: string; attempt: number; rank: number }, id: string): string {
  return `artifacts/${task.jobId}/${task.attempt}/${task.rank}/${id}`
}
