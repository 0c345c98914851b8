import type { GpuReading } from '@/lib/cluster/gpus/gpu-reading'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { recordTaskGpuUsage } from '@/lib/cluster/tasks/task-progress'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { logger } from '@/lib/logger'
import type { OutputWriter } from '../task/output-writer'

/** Minimum interval between two records in a task's output. Slightly below ten seconds to tolerate early samples. */
const recordIntervalMs = 9_500

/** Records the GPU usage of a task: a summary in the task's row, and periodic records in its output. */
export class UsageRecorder {
  #store: OutputWriter | undefined
  #recorded = Number.NEGATIVE_INFINITY

  constructor(
    readonly lease: Lease,
    readonly task: ClaimedTask,
  ) {}

  /** The task now runs, and its output goes to `store`. */
  recordTo(store: OutputWriter): void {
    this.#store = store
  }

  /** Does not retry a failed write, because more samples follow. */
  addSample(readings: ReadonlyMap<string, GpuReading>): void {
    const gpus = this.task.gpus.flatMap(({ uuid }) => readings.get(uuid) ?? [])
    if (!this.#store || gpus.length === 0) return
    const now = performance.now()
    if (now - this.#recorded >= recordIntervalMs) {
      this.#recorded = now
      this.#store.addMetric(gpus.map(toRecord))
    }
    recordTaskGpuUsage(this.lease, this.task.id, summaryOf(gpus)).catch((error: unknown) =>
      logger.warn({ err: error, task: this.task.id }, 'could not store a GPU sample of a task'),
    )
  }
}

function toRecord({ index, load, memoryUsedMib }: GpuReading) {
  return { index, load, memory_used_mib: memoryUsedMib }
}

/** Over all GPUs of the task: mean and maximum load, and maximum memory. */
function summaryOf(gpus: GpuReading[]): Parameters<typeof recordTaskGpuUsage>[2] {
  const loads = gpus.flatMap(({ load }) => load ?? [])
  const memory = gpus.flatMap(({ memoryUsedMib }) => memoryUsedMib ?? [])
  return {
    load: loads.length === 0 ? null : loads.reduce((sum, load) => sum + load, 0) / loads.length,
    // If one GPU does not say its load, it may be the busiest.
    busiest: loads.length < gpus.length ? null : Math.max(...loads),
    memoryMib: memory.length === 0 ? null : Math.max(...memory),
  }
}
