import * as z from 'zod'

/** A job that gpuq does not know, by its number in Slurm. */
export const slurmJob = /^slurm:([1-9]\d{0,8})$/

const maxJobs = 32

const reference = z
  .string()
  .trim()
  .toLowerCase()
  .refine(
    (text) => slurmJob.test(text) || z.uuid().safeParse(text).success,
    'must be the id of a job, or slurm:1234 for a job that is only in Slurm',
  )

const references = z.array(reference).max(maxJobs, `must have at most ${maxJobs} jobs`)

/** The jobs that must complete before a job may start: a list, or one text with commas or spaces between them. */
export const dependsOn = z
  .union([references, z.string()], { error: 'must be a list of job ids, or one job id' })
  .transform((value) => (typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value))
  .pipe(references)

/** Splits the jobs that a job depends on into the ids of jobs of gpuq and the numbers of Slurm jobs. */
export function splitDependencies(dependsOn: readonly string[]): { jobIds: string[]; slurmIds: number[] } {
  const matches = [...new Set(dependsOn)].map((text) => ({ text, slurmId: slurmJob.exec(text)?.[1] }))
  return {
    jobIds: matches.flatMap(({ text, slurmId }) => (slurmId === undefined ? [text] : [])),
    slurmIds: matches.flatMap(({ slurmId }) => (slurmId === undefined ? [] : [Number(slurmId)])),
  }
}
