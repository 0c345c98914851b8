import type { GpuReading } from '@/lib/cluster/gpus/gpu-reading'
import { recordTaskUse } from '@/lib/cluster/gpus/gpu-samples'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { logger } from '@/lib/logger'
import { encodeMetric } from '@/lib/results/encode'
import type { OutputWriter } from '../task/output-writer'
import { shownRank } from '../task/shown-rank'

/** Shortest time between two records in a task's output; a sample that comes a little early still counts. */
const recordEveryMs = 9_500

/** Writes down how a task's GPUs are used: a summary in the task's row, and from time to time a record in its output. */
export class UsageRecorder {
  #store: OutputWriter | undefined
  #recorded = Number.NEGATIVE_INFINITY

  constructor(
    readonly lease: Lease,
    readonly task: ClaimedTask,
  ) {}

  /** From now on the task runs, and its output goes there. */
  recordTo(store: OutputWriter): void {
    this.#store = store
  }

  /** A sample is one of many: what the database does not take is not tried again. */
  take(readings: ReadonlyMap<string, GpuReading>): void {
    const gpus = this.task.gpus.flatMap(({ uuid }) => readings.get(uuid) ?? [])
    if (!this.#store || gpus.length === 0) return
    const now = performance.now()
    if (now - this.#recorded >= recordEveryMs) {
      this.#recorded = now
      this.#store.add(encodeMetric(gpus.map(toRecord), new Date(), shownRank(this.task)))
    }
    recordTaskUse(this.lease, this.task.id, summaryOf(gpus)).catch((error: unknown) =>
      logger.warn({ err: error, task: this.task.id }, 'a sample of its GPUs was lost'),
    )
  }
}

function toRecord({ index, load, memoryUsedMib }: GpuReading) {
  return { index, load, memory_used_mib: memoryUsedMib }
}

/** Over all GPUs of the task: the mean of their loads, and what the fullest of them holds. */
function summaryOf(gpus: GpuReading[]): { load: number | null; memoryMib: number | null } {
  const loads = gpus.flatMap(({ load }) => load ?? [])
  const memory = gpus.flatMap(({ memoryUsedMib }) => memoryUsedMib ?? [])
  return {
    load: loads.length === 0 ? null : loads.reduce((sum, load) => sum + load, 0) / loads.length,
    memoryMib: memory.length === 0 ? null : Math.max(...memory),
  }
}
