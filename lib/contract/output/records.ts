import * as z from 'zod'
import { gpuOfJobSchema } from '../jobs'

/**
 * The JSONL result format: UTF-8, one JSON object per line, each with `type` and `t`. The output of a job is only
 * inside `text` or `data`, so a job cannot forge a record.
 */

const t = z.string().describe('RFC 3339 with milliseconds, UTC')
const rank = z.int().optional().describe('task of a job on several nodes')

const gpusOfTask = z.array(gpuOfJobSchema)

export const jobRecordSchema = z.object({
  type: z.literal('job'),
  t,
  job_id: z.string(),
  user_id: z.string(),
  competition_id: z.string(),
  project_id: z.string(),
  name: z.string().nullable(),
  attempt: z.int(),
  spec: z.record(z.string(), z.unknown()).describe('the config without secrets'),
  command: z.string().nullable().optional().describe('shell command; null: the job ran a program'),
  environment: z.string(),
  image: z.string(),
  image_digest: z.string().nullable(),
  node: z.string().nullable(),
  gpus: gpusOfTask,
  instances: z
    .array(z.object({ rank: z.int(), node: z.string(), gpus: gpusOfTask }))
    .optional()
    .describe('tasks of a job on several nodes; node and gpus beside it are of rank 0'),
  created_at: z.string(),
})

export const outputRecordSchema = z.object({
  type: z.enum(['stdout', 'stderr']),
  t,
  text: z.string(),
  /** False if the line continues in the next record of the stream; absent if it ended here. */
  eol: z.literal(false).optional(),
  /** Only in live events with `max_record_bytes`: number of bytes of the line that were left out. */
  cut: z.int().optional(),
  /** Number of bytes of the line that were not UTF-8 and were replaced. */
  replaced: z.int().optional(),
  rank,
})

/**
 * A stdout line that is a JSON object or array. In the file, `data` is exactly the bytes of that line, unless the record has `text`.
 */
export const resultRecordSchema = z.object({
  type: z.literal('result'),
  t,
  data: z.unknown(),
  /**
   * The line as it was printed, if it is not JSON only because of NaN, Infinity or -Infinity, which are texts in `data`, or ends with a
   * carriage return, or has a character that some programs take for the end of a line.
   */
  text: z.string().optional(),
  /** False if stdout ended here without a line feed. */
  eol: z.literal(false).optional(),
  rank,
})

/** Use of the task's GPUs at one moment. Null: nvidia-smi did not report the value. */
export const metricRecordSchema = z.object({
  type: z.literal('metric'),
  t,
  gpus: z.array(
    z.object({
      index: z.int().describe('index on the node'),
      load: z.number().min(0).max(1).nullable(),
      memory_used_mib: z.number().nullable(),
    }),
  ),
  rank,
})

/** The output beyond the limit was removed here. */
export const truncatedRecordSchema = z.object({
  type: z.literal('truncated'),
  t,
  limit_bytes: z.int(),
  dropped_bytes: z.int(),
  rank,
})

export const exitRecordSchema = z.object({
  type: z.literal('exit'),
  t,
  status: z.enum(['completed', 'failed', 'cancelled']),
  reason: z.string(),
  reason_text: z.string(),
  exit_code: z.int().nullable(),
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
export type TruncatedRecord = z.infer<typeof truncatedRecordSchema>
export type MetricRecord = z.infer<typeof metricRecordSchema>
export type ExitRecord = z.infer<typeof exitRecordSchema>
export type ResultFileRecord = z.infer<typeof recordSchema>
