/** Records of gpuq itself, between the records of a job's output. */
import type { MetricRecord } from '../contract/output/records'

/** Encodes the use of a task's GPUs at one moment. `type` comes first, because readers recognize records by it. */
export function encodeMetric(gpus: MetricRecord['gpus'], at: Date, rank?: number): Buffer {
  return Buffer.from(`${JSON.stringify({ type: 'metric', t: at.toISOString(), gpus, rank })}\n`)
}

/** Encodes a message of gpuq in a job's output, as a stderr line that starts with "gpuq: ". */
export function encodeNote(text: string, at: Date, rank?: number): Buffer {
  return Buffer.from(
    `${JSON.stringify({ type: 'stderr', t: at.toISOString(), text: `gpuq: ${text}`, rank })}\n`,
  )
}
