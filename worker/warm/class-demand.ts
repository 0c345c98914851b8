import { availableParallelism, freemem, totalmem } from 'node:os'
import type { TaskContainer } from '../runtime/runtime'
import { withoutTask } from '../runtime/spec/warm-spec'
import { planWarm, recentMs, type WarmLimits } from './plan-warm'

/** A class whose container failed is left out for this long. */
const refusedMs = 60_000
const rememberedRequests = 64
/** The memory in MiB of a container with prepared imports until it is measured: torch takes about half of it. */
const assumedPreparedMib = 256
/** The machine has little memory left below this fraction. */
const freeShare = 0.1
const mib = 1024 * 1024

interface ClassState {
  /** A task of the class without content. */
  template: TaskContainer
  requestedMs: number[]
  refusedUntilMs: number
  /** Memory of one waiting container; null: not measured yet. */
  memoryMib: number | null
}

/** The recent tasks of a node by request class. */
export class ClassDemand {
  readonly #classes = new Map<string, ClassState>()

  constructor(readonly limits: WarmLimits) {}

  /** A task of the class came. */
  add(key: string, task: TaskContainer): void {
    const nothing = {
      template: withoutTask(task),
      requestedMs: [],
      refusedUntilMs: Number.NEGATIVE_INFINITY,
      memoryMib: null,
    }
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

  /** The prepared imports of the class cannot be used: its containers wait without them from now on. */
  refuseImports(key: string): void {
    const state = this.#classes.get(key)
    if (state)
      this.#classes.set(key, { ...state, template: { ...state.template, prepare: [] }, memoryMib: null })
  }

  /** A container of the class waits with so much memory. */
  measured(key: string, memoryMib: number): void {
    const state = this.#classes.get(key)
    if (state) state.memoryMib = memoryMib
  }

  /** How many warm containers of each class there should be now. */
  plan(): Map<string, number> {
    const now = performance.now()
    for (const [key, { requestedMs }] of this.#classes)
      if ((requestedMs.at(-1) ?? 0) < now - recentMs) this.#classes.delete(key)
    const classes = [...this.#classes]
      .filter(([, { refusedUntilMs }]) => refusedUntilMs < now)
      .map(([key, { template, requestedMs, memoryMib }]) => ({
        key,
        requestedMs,
        capacity: capacityFor(template),
        memoryMib: memoryMib ?? this.#assumedMib(template),
      }))
    const isShort = freemem() < freeShare * totalmem()
    return planWarm(classes, this.limits, isShort, now)
  }

  /** Within the limit, so that there is one to measure. */
  #assumedMib({ prepare }: TaskContainer): number {
    return prepare.length === 0 ? 1 : Math.min(assumedPreparedMib, this.limits.memoryMib)
  }
}

/** How many containers of a task the machine has CPUs and memory for, and at least one. */
function capacityFor({ cpuMilli, memoryMib }: TaskContainer): number {
  const byCpu = Math.floor((availableParallelism() * 1000) / Math.max(1, cpuMilli))
  const byMemory = Math.floor(totalmem() / mib / Math.max(1, memoryMib))
  return Math.max(1, Math.min(byCpu, byMemory))
}
