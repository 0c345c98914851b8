import type { MetricRecord } from '../contract/records'

/** Encodes the GPU usage of a task at one moment. `type` is the first key because readers identify lines by it. */
export function encodeMetric(gpus: MetricRecord['gpus'], at: Date, rank?: number): Buffer {
  return Buffer.from(`${JSON.stringify({ type: 'metric', t: at.toISOString(), gpus, rank })}\n`)
}
