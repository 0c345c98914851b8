import * as z from 'zod'
import type { JobConfig } from '../config/config'
import { amount, count, seconds } from '../config/values'
import { idSchema } from '../jobs'

const gpuHours = amount(0.001, 100_000_000).nullable().default(null)

/** The limits of a token for an agent. Null: no limit of its own; those of its user apply as well. */
export const agentLimitsSchema = z.strictObject({
  gpu_hours: gpuHours.describe('GPU hours of its jobs in all'),
  gpu_hours_per_day: gpuHours.describe('GPU hours of its jobs on each day, in UTC'),
  max_gpus: amount(0, 100_000)
    .nullable()
    .default(null)
    .describe('maximum GPUs that its running jobs hold at once; a job that asks for more is refused'),
  projects: z
    .array(idSchema)
    .min(1)
    .max(100)
    .nullable()
    .default(null)
    .describe('the only projects to which it submits, by their project_id'),
  environments: z
    .array(idSchema)
    .min(1)
    .max(100)
    .nullable()
    .default(null)
    .describe('the only environments that its jobs use'),
  max_priority: count(-100, 100).nullable().default(null).describe('maximum priority of a job'),
  max_time: seconds.nullable().default(null).describe('maximum time limit of a job, in seconds'),
  ask_above_gpu_hours: z
    .number()
    .min(0)
    .max(100_000_000)
    .nullable()
    .default(null)
    .describe(
      'a job or a group that may cost more GPU hours than this waits until a person approves it; 0: each one with a GPU',
    ),
})

export type AgentLimitsInput = z.output<typeof agentLimitsSchema>
/** The limits as they are stored: with the ids of the projects, whose names may be used again. */
export type AgentLimits = Omit<AgentLimitsInput, 'projects'> & {
  projects: { id: string; slug: string }[] | null
}

/** The config keys that jobs of an agent may not have, because they reach people, other files of the user, or a terminal. */
export const keysRefusedToAgents = [
  'notify_url',
  'tty',
  'host_script',
  'conda_prefix',
] as const satisfies readonly (keyof JobConfig)[]

/** What a restricted token may reach: that of a class, or of an agent. It calls only the operations that let it in. */
export interface Restriction {
  /** The only projects to which it submits, and whose jobs it sees; null: all projects of its user. */
  projects: readonly { id: string; slug: string }[] | null
  /** The token of an agent: it sees only the jobs that it submitted itself. Null: that of a class, which sees all of its user there. */
  agent: { tokenId: string; limits: AgentLimits } | null
}
