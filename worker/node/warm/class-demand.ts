import { availableParallelism, freemem, totalmem } from 'node:os'
import type { TaskContainer } from '../../runtime/runtime'
import { withoutTask } from '../../runtime/spec/warm-spec'
import { planWarm, recentMs, type WarmLimits } from './plan-warm'

/** A class whose container failed is left out for this long. */
const refusedMs = 60_000
const rememberedRequests = 64
/** The machine has little memory left below this fraction. */
const freeShare = 0.1
const mib = 1024 * 1024

interface ClassState {
  /** A task of the class without content. */
  template: TaskContainer
  requestedMs: number[]
  refusedUntilMs: number
}

/** The recent tasks of a node by request class. */
export class ClassDemand {
  readonly #classes = new Map<string, ClassState>()

  constructor(readonly limits: WarmLimits) {}

  /** A task of the class came. */
  add(key: string, task: TaskContainer): void {
    const nothing = { template: withoutTask(task), requestedMs: [], refusedUntilMs: Number.NEGATIVE_INFINITY }
    const state = this.#classes.get(key) ?? nothing
    const requestedMs = [...state.requestedMs, performance.now()].slice(-rememberedRequests)
    this.#classes.set(key, { ...state, requestedMs })
  }

  /** A task of the class without content; undefined: the class is not in use any more. */
  templateOf(key: string): TaskContainer | undefined {
    return this.#classes.get(key)?.template
  }

  /** A container of the class failed: there will be none for a while. */
  refuse(key: string): void {
    const state = this.#classes.get(key)
    if (state) state.refusedUntilMs = performance.now() + refusedMs
  }

  /**
   * How many warm containers of each class there should be now.
   * @param meanMib the mean memory of one, in MiB
   */
  plan(meanMib: number): Map<string, number> {
    const now = performance.now()
    for (const [key, { requestedMs }] of this.#classes)
      if ((requestedMs.at(-1) ?? 0) < now - recentMs) this.#classes.delete(key)
    const classes = [...this.#classes]
      .filter(([, { refusedUntilMs }]) => refusedUntilMs < now)
      .map(([key, { template, requestedMs }]) => ({ key, requestedMs, capacity: capacityFor(template) }))
    const isShort = freemem() < freeShare * totalmem()
    return planWarm(classes, this.limits, { meanMib, isShort }, now)
  }
}

/** How many containers of a task the machine has CPUs and memory for, and at least one. */
function capacityFor({ cpuMilli, memoryMib }: TaskContainer): number {
  const byCpu = Math.floor((availableParallelism() * 1000) / Math.max(1, cpuMilli))
  const byMemory = Math.floor(totalmem() / mib / Math.max(1, memoryMib))
  return Math.max(1, Math.min(byCpu, byMemory))
}
