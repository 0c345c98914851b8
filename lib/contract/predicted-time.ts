import type { PredictedTime } from './jobs'

/** What an expected start rests on: the predicted end of a running job that is ahead of it. */
export interface StartBasis extends Pick<PredictedTime, 'basis' | 'jobs'> {
  /** By how many seconds that end moved because the job outlived its prediction; 0: it did not. */
  delaySeconds: number
}

/** A shorter delay is not worth a sentence. */
const minDelaySeconds = 60

/** Says what a prediction of a run time is based on, as the end of a sentence. */
export function describeBasis({ basis, jobs }: PredictedTime): string {
  const earlier = `from ${jobs} earlier jobs`
  const texts: Record<PredictedTime['basis'], string> = {
    same_program: `${earlier} with the same content or name`,
    same_user: `${earlier} of this user in this project`,
    all_jobs: `${earlier} of all users`,
    estimate: 'the estimate, because too few jobs have completed',
  }
  return texts[basis]
}

/** Says what an expected start rests on, and whether a running job that takes longer than predicted moved it. */
export function describeStartBasis({ basis, jobs, delaySeconds }: StartBasis): string {
  const earlier = `from ${jobs} earlier jobs`
  const texts: Record<PredictedTime['basis'], string> = {
    same_program: `${earlier} with its content or name`,
    same_user: `${earlier} of its user and project`,
    all_jobs: `${earlier} of all users`,
    estimate: "from its user's estimate",
  }
  const sentence = `The start depends on the end of a running job, which is expected ${texts[basis]}.`
  if (delaySeconds < minDelaySeconds) return sentence
  return `${sentence} That job runs longer than expected, so the start moved by about ${formatDelay(delaySeconds)}.`
}

function formatDelay(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
