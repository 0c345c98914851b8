import * as z from 'zod'
import { time } from '../contract/access/access'
import { jobSummarySchema } from '../contract/jobs'
import { bestValues } from '../metrics/contract-best-value'

/** Query of `GET /api/projects/{id}/participants`. */
export const participantsQuerySchema = z.object({
  metric: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('a name of `metrics`: the response then has the best last value of each member'),
  best: z.enum(bestValues).default('lowest').describe('which value is the best'),
})

const { job_id, name, status } = jobSummarySchema.shape

/** A member of a class, with what the caller may see of their jobs in it. */
export const participantSchema = z.object({
  user_id: z.string(),
  name: z.string().nullable().describe("the user's name; null: the user has set none"),
  manager: z.boolean(),
  agreed: z.boolean().describe('whether the member agreed that the managers see their jobs'),
  jobs: z.int().nullable().describe('jobs in the class; null: the caller sees none, until the member agrees'),
  gpu_hours: z
    .number()
    .nullable()
    .describe('allocated GPUs times hours of these jobs, including running ones; null as for `jobs`'),
  last_job: z.object({ job_id, name, status, created_at: time }).nullable(),
  best: z
    .object({ job_id, value: z.number() })
    .nullable()
    .describe('the best last value of the metric, and the job that has it'),
})

/** Response of `GET /api/projects/{id}/participants`. */
export const participantsSchema = z.object({
  participants: z.array(participantSchema).describe('the members of the class without its owner, by user_id'),
  metrics: z.array(z.string()).describe('names of metrics of these jobs, at most 200'),
})

export type ParticipantsQuery = z.output<typeof participantsQuerySchema>
export type Participant = z.infer<typeof participantSchema>
export type Participants = z.infer<typeof participantsSchema>
