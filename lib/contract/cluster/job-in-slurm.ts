import * as z from 'zod'

/** The submission of a job to Slurm. */
export const jobInSlurmSchema = z.object({
  slurm_id: z.int().nullable().describe('the id of the job in Slurm; null: not submitted yet'),
  state: z.string().nullable().describe("Slurm's state, such as PENDING; null: not read yet"),
  reason: z.string().nullable().describe("Slurm's reason, such as Priority"),
  held: z.boolean(),
  restarts: z.int().describe('how often Slurm started it again'),
})
