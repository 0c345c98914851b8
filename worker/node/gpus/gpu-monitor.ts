import { sleep, unlessAborted } from '@/lib/async/sleep'
import { assessGpu, type UseThresholds } from '@/lib/cluster/gpus/gpu-health'
import type { GpuReading, GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import {
  type GpuState,
  holdGpuBack,
  markGpuMissing,
  readGpuStates,
  recordGpu,
  setGpuWarning,
} from '@/lib/cluster/gpus/gpu-samples'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { wakeLeader } from '@/lib/database/notify'
import { logger } from '@/lib/logger'
import { problemOf, problemOfFailure } from '../../gpus/discover'
import { NvidiaSmiFault } from '../../gpus/run-nvidia-smi'

const lookEveryMs = 5_000
/** Of the looks, every third becomes part of a GPU's last hour. */
const keepEvery = 3
/** After so many looks without an answer nothing is given out any more. */
const mostMisses = 3
/** For so long after a job of ours, what is still seen on its GPU counts as that job's. */
const oursForMs = 10_000

/** Watches a node's real GPUs under one lease: how they are used, and which of them cannot be given out. */
export class GpuMonitor {
  /** Resolves after the first look, whatever it showed. */
  readonly firstLook: Promise<void>
  #looked: () => void = () => {}
  #looks = 0
  #misses = 0
  #warning: string | null | undefined
  readonly #calm = new Map<string, number>()
  readonly #oursUntil = new Map<string, number>()

  constructor(
    readonly lease: Lease,
    readonly read: () => Promise<GpuReport>,
    readonly onSample: (readings: ReadonlyMap<string, GpuReading>) => void,
  ) {
    this.firstLook = new Promise((resolve) => {
      this.#looked = resolve
    })
  }

  /** A job of ours begins or ends on these GPUs. */
  noteOurs(uuids: readonly string[]): void {
    for (const uuid of uuids) this.#oursUntil.set(uuid, performance.now() + oursForMs)
  }

  /** Looks every few seconds until `signal` ends it. One look that hangs is not waited for then. */
  async keepWatching(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await unlessAborted(this.look(), signal)
      this.#looked()
      await sleep(lookEveryMs, signal)
    }
    this.#looked()
  }

  /** One look. What cannot be written now is seen again at the next. */
  async look(): Promise<void> {
    try {
      await this.#take(await this.read())
    } catch (error) {
      if (error instanceof NvidiaSmiFault) await this.#miss(error).catch(logLost)
      else logLost(error)
    }
  }

  async #take(report: GpuReport): Promise<void> {
    this.#misses = 0
    const keep = this.#looks++ % keepEvery === 0
    const { states, thresholds } = await readGpuStates(this.lease)
    const readings = withFaults(report, states)
    let freed = false
    for (const reading of readings) {
      const state = states.find(({ uuid }) => uuid === reading.uuid)
      freed = (await this.#record(reading, state, thresholds, keep)) || freed
    }
    const seen = new Set(readings.map(({ uuid }) => uuid))
    for (const { id, uuid, missing } of states)
      if (!missing && !seen.has(uuid)) await markGpuMissing(this.lease, id)
    await this.#warn(problemOf(report))
    if (freed) wakeLeader()
    this.onSample(new Map(readings.map((reading) => [reading.uuid, reading])))
  }

  /** True when the GPU can be given out again. */
  async #record(
    reading: GpuReading,
    state: GpuState | undefined,
    thresholds: UseThresholds,
    keep: boolean,
  ): Promise<boolean> {
    const standing = {
      allocated: state?.allocated ?? false,
      oursLately: (this.#oursUntil.get(reading.uuid) ?? 0) > performance.now(),
      busyReason: state?.busyReason ?? null,
      calm: this.#calm.get(reading.uuid) ?? 0,
    }
    const { busyReason, calm } = assessGpu(reading, standing, thresholds)
    this.#calm.set(reading.uuid, calm)
    await recordGpu(this.lease, reading, busyReason, keep)
    return busyReason === null && (!state || state.missing || state.busyReason !== null)
  }

  async #miss(fault: NvidiaSmiFault): Promise<void> {
    this.#misses += 1
    await this.#warn(problemOfFailure(fault))
    if (this.#misses < mostMisses) return
    const { states } = await readGpuStates(this.lease)
    this.#calm.clear()
    for (const { id, missing } of states)
      if (!missing) await holdGpuBack(this.lease, id, `nvidia-smi failed: ${fault.message}.`)
  }

  async #warn(warning: string | null): Promise<void> {
    if (this.#warning === warning) return
    if (warning) logger.warn(warning)
    await setGpuWarning(this.lease, warning)
    this.#warning = warning
  }
}

/** The readings, and for each known GPU of which too little could be read one that says only that. */
function withFaults({ gpus, faults }: GpuReport, states: GpuState[]): GpuReading[] {
  const read = new Set(gpus.map(({ uuid }) => uuid))
  const faulty = faults.flatMap(({ uuid, index, message: says }) => {
    const state = states.find((known) =>
      uuid === null ? !known.missing && known.index === index : known.uuid === uuid,
    )
    return state && !read.has(state.uuid) ? [unread(state, says)] : []
  })
  return [...gpus, ...faulty]
}

function unread({ index, uuid, model, memoryMib }: GpuState, fault: string): GpuReading {
  const figures = { load: null, memoryUsedMib: null, temperatureC: null, powerW: null }
  return { index, uuid, model, memoryMib, ...figures, fault }
}

function logLost(error: unknown): void {
  logger.warn({ err: error }, 'a look at the GPUs could not be written down')
}
