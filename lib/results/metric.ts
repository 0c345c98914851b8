import type { MetricRecord } from '../contract/records'

/** A finished record of how a task's GPUs were used at one moment. `type` comes first: readers tell lines by it. */
export function encodeMetric(gpus: MetricRecord['gpus'], at: Date, rank?: number): Buffer {
  return Buffer.from(`${JSON.stringify({ type: 'metric', t: at.toISOString(), gpus, rank })}\n`)
}
