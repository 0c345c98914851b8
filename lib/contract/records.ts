import { z } from 'zod'

/**
 * The JSONL result format: UTF-8, one JSON object a line, each with `type` and `t`. What a job prints is only
 * ever inside `text` or `data`, so it cannot forge a record.
 */

const t = z.string().describe('RFC 3339 with milliseconds, UTC')
const rank = z.number().int().optional().describe('which task of a job over several nodes')

const gpusOfTask = z.array(
  z.object({
    uuid: z.string(),
    index: z.number(),
    model: z.string(),
    simulated: z.boolean(),
    milli: z.number(),
  }),
)

export const jobRecordSchema = z.object({
  type: z.literal('job'),
  t,
  job_id: z.string(),
  user_id: z.string(),
  competition_id: z.string(),
  project_id: z.string(),
  name: z.string().nullable(),
  attempt: z.number().int(),
  spec: z.record(z.string(), z.unknown()).describe('the config without secrets'),
  command: z.string().nullable().optional().describe('what a shell ran; null: solution.py'),
  environment: z.string(),
  image: z.string(),
  image_digest: z.string().nullable(),
  node: z.string().nullable(),
  gpus: gpusOfTask,
  instances: z
    .array(z.object({ rank: z.number().int(), node: z.string(), gpus: gpusOfTask }))
    .optional()
    .describe('every task of a job over several nodes; node and gpus beside it are those of rank 0'),
  created_at: z.string(),
})

export const outputRecordSchema = z.object({
  type: z.enum(['stdout', 'stderr']),
  t,
  text: z.string(),
  /** False when the line goes on in the stream's next record; left out when it ended here. */
  eol: z.literal(false).optional(),
  /** How many bytes of the line were not UTF-8 and were replaced. */
  replaced: z.number().int().optional(),
  rank,
})

/** A stdout line that is a JSON object or array. In the file, `data` is that line byte for byte. */
export const resultRecordSchema = z.object({
  type: z.literal('result'),
  t,
  data: z.unknown(),
  /** False when stdout ended here without a line feed. */
  eol: z.literal(false).optional(),
  rank,
})

/** How the task's GPUs were used at one moment. Null where nvidia-smi did not say. */
export const metricRecordSchema = z.object({
  type: z.literal('metric'),
  t,
  gpus: z.array(
    z.object({
      index: z.number().int().describe('its number on the node'),
      load: z.number().min(0).max(1).nullable(),
      memory_used_mib: z.number().nullable(),
    }),
  ),
  rank,
})

/** Output over the limit was cut here. */
export const truncatedRecordSchema = z.object({
  type: z.literal('truncated'),
  t,
  limit_bytes: z.number().int(),
  dropped_bytes: z.number().int(),
  rank,
})

export const exitRecordSchema = z.object({
  type: z.literal('exit'),
  t,
  status: z.enum(['completed', 'failed', 'cancelled']),
  reason: z.string(),
  reason_text: z.string(),
  exit_code: z.number().int().nullable(),
  started_at: z.string().nullable(),
  ended_at: z.string(),
})

export const recordSchema = z.discriminatedUnion('type', [
  jobRecordSchema,
  outputRecordSchema,
  resultRecordSchema,
  metricRecordSchema,
  truncatedRecordSchema,
  exitRecordSchema,
])

export type JobRecord = z.infer<typeof jobRecordSchema>
export type OutputRecord = z.infer<typeof outputRecordSchema>
export type MetricRecord = z.infer<typeof metricRecordSchema>
export type ExitRecord = z.infer<typeof exitRecordSchema>
export type ResultFileRecord = z.infer<typeof recordSchema>
