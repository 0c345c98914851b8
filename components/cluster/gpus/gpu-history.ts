import type { ClusterHistory } from '@/lib/contract/cluster/cluster-history'
import type { SparkFrame } from './spark-path'

export type GpuSeries = ClusterHistory['gpus'][number]

/** The last hour of every GPU. All GPUs share one time range, so that tiles can be compared. */
export interface GpuHistory {
  of: ReadonlyMap<string, GpuSeries>
  hour: Pick<SparkFrame, 'from' | 'to'>
}

export const noHistory: GpuHistory = { of: new Map(), hour: { from: 0, to: 1 } }

const hourS = 3600

/** The series by GPU id. The hour ends with the newest sample. */
export function indexHistory({ gpus }: ClusterHistory): GpuHistory {
  const to = Math.max(0, ...gpus.map(({ at }) => at.at(-1) ?? 0))
  return { of: new Map(gpus.map((gpu) => [gpu.gpu_id, gpu])), hour: { from: to - hourS, to } }
}
