import type { PredictedTime } from './jobs'

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
