import { sleep } from '@/lib/async/sleep'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { readTaskUsage, recordTaskUsage, storeUsageCurve } from '@/lib/cluster/tasks/task-usage'
import { logger } from '@/lib/logger'
import type { Usage } from '../../runtime/runtime'

/** The first sample is early, so that short jobs have one too. */
const firstAfterMs = 1_000
const sampleIntervalMs = 5_000

/**
 * Records periodically what a running container uses. Does not retry a lost sample, and nothing waits for it. Never
 * rejects.
 */
export async function watchUsage(
  lease: Lease,
  taskId: string,
  read: () => Promise<Usage | null>,
  running: AbortSignal,
): Promise<void> {
  let recorder: UsageCurveRecorder | undefined
  for (let waitMs = firstAfterMs; ; waitMs = sampleIntervalMs) {
    await sleep(waitMs, running)
    if (running.aborted) return
    try {
      recorder ??= await UsageCurveRecorder.open(lease, taskId)
      const usage = await read()
      if (usage && !running.aborted) await recorder.record(usage)
    } catch (error) {
      logger.debug({ err: error, task: taskId }, 'could not store a CPU and memory sample of a task')
    }
  }
}

type Stored = Awaited<ReturnType<typeof readTaskUsage>>

/** The use of one task: its last sample, and its curve over the whole run. */
export class UsageCurveRecorder {
  /** The number of values that are stored. */
  #storedLength = 0

  private constructor(
    readonly lease: Lease,
    readonly taskId: string,
    readonly curve: Stored['curve'],
    private last: Stored['last'],
  ) {}

  /** Continues what an earlier worker recorded. */
  static async open(lease: Lease, taskId: string): Promise<UsageCurveRecorder> {
    const { curve, last } = await readTaskUsage(taskId)
    return new UsageCurveRecorder(lease, taskId, curve, last)
  }

  /** Does nothing without the lease, or after the task has ended. */
  async record(usage: Usage): Promise<void> {
    const sampledSeconds = await recordTaskUsage(this.lease, this.taskId, usage)
    if (sampledSeconds === null) return
    const { cpuSeconds, memoryMib } = usage
    const seconds = sampledSeconds - this.last.sampledSeconds
    const used = cpuSeconds - this.last.cpuSeconds
    this.last = { cpuSeconds, sampledSeconds }
    // A clock that stepped, or a container that started again.
    const cpuCores = seconds > 0 && used >= 0 ? used / seconds : null
    this.curve.add(sampledSeconds, { cpuCores, memoryMib })
    await this.#store()
  }

  /** Later in a long run, a value has many samples. It is written when it begins, and with the next one when it is complete. */
  async #store(): Promise<void> {
    const { length } = this.curve.values
    if (length === this.#storedLength) return
    await storeUsageCurve(this.lease, this.taskId, this.curve)
    this.#storedLength = length
  }
}
