import * as z from 'zod'

/** An engine decides where and when jobs run: gpuq itself, or an external one. */
export const engines = ['builtin', 'slurm'] as const
export type EngineName = (typeof engines)[number]

/** Whether Slurm answers. Every page and the command line show it. */
export const slurmStateSchema = z.object({
  version: z.string().nullable().describe('null: not read yet'),
  problem: z.string().nullable().describe('why Slurm does not answer now; null: it answers'),
  read_at: z.string().describe('RFC 3339, UTC').nullable().describe('when Slurm last answered; null: never'),
})

/** The submission of a job to Slurm. */
export const jobInSlurmSchema = z.object({
  slurm_id: z.int().nullable().describe('the id of the job in Slurm; null: not submitted yet'),
  state: z.string().nullable().describe("Slurm's state, such as PENDING; null: not read yet"),
  reason: z.string().nullable().describe("Slurm's reason, such as Priority"),
  held: z.boolean(),
  restarts: z.int().describe('how often Slurm started it again'),
})

export type SlurmState = z.output<typeof slurmStateSchema>
