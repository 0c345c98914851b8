import { sleep, unlessAborted } from '@/lib/async/sleep'
import { assessGpu, type UsageThresholds } from '@/lib/cluster/gpus/gpu-health'
import type { GpuReading, GpuReport } from '@/lib/cluster/gpus/gpu-reading'
import {
  blockGpu,
  type GpuState,
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

const sampleIntervalMs = 5_000
/** Every third sample is stored in the GPU's history. */
const historyEvery = 3
/** After this many failed samples all GPUs are blocked. */
const maxFailures = 3
/** Use of a GPU within this time after one of our jobs counts as that job's. */
const ownUsageMs = 10_000

/** Monitors a node's real GPUs under one lease: records their usage, and blocks GPUs that must not be allocated. */
export class GpuMonitor {
  /** Resolves after the first sample, successful or not. */
  readonly firstSample: Promise<void>
  #sampled: () => void = () => {}
  #samples = 0
  #failures = 0
  #warning: string | null | undefined
  readonly #quietReadings = new Map<string, number>()
  readonly #recentlyAllocatedUntil = new Map<string, number>()

  constructor(
    readonly lease: Lease,
    readonly read: () => Promise<GpuReport>,
    readonly onSample: (readings: ReadonlyMap<string, GpuReading>) => void,
  ) {
    this.firstSample = new Promise((resolve) => {
      this.#sampled = resolve
    })
  }

  /** Records that one of our jobs starts or ends on these GPUs. */
  markAllocated(uuids: readonly string[]): void {
    for (const uuid of uuids) this.#recentlyAllocatedUntil.set(uuid, performance.now() + ownUsageMs)
  }

  /** Takes samples until `signal` is aborted. Does not wait for a hanging sample then. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await unlessAborted(this.sample(), signal)
      this.#sampled()
      await sleep(sampleIntervalMs, signal)
    }
    this.#sampled()
  }

  /** Takes one sample. If a write fails, the next sample writes the state again. */
  async sample(): Promise<void> {
    try {
      await this.#take(await this.read())
    } catch (error) {
      if (error instanceof NvidiaSmiFault) await this.#recordFailure(error).catch(logWriteFailure)
      else logWriteFailure(error)
    }
  }

  async #take(report: GpuReport): Promise<void> {
    this.#failures = 0
    const keep = this.#samples++ % historyEvery === 0
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

  /** Returns true if the GPU became available again. */
  async #record(
    reading: GpuReading,
    state: GpuState | undefined,
    thresholds: UsageThresholds,
    keep: boolean,
  ): Promise<boolean> {
    const standing = {
      allocated: state?.allocated ?? false,
      recentlyAllocated: (this.#recentlyAllocatedUntil.get(reading.uuid) ?? 0) > performance.now(),
      busyReason: state?.busyReason ?? null,
      quietReadings: this.#quietReadings.get(reading.uuid) ?? 0,
    }
    const { busyReason, quietReadings } = assessGpu(reading, standing, thresholds)
    this.#quietReadings.set(reading.uuid, quietReadings)
    await recordGpu(this.lease, reading, busyReason, keep)
    return busyReason === null && (!state || state.missing || state.busyReason !== null)
  }

  async #recordFailure(fault: NvidiaSmiFault): Promise<void> {
    this.#failures += 1
    await this.#warn(problemOfFailure(fault))
    if (this.#failures < maxFailures) return
    const { states } = await readGpuStates(this.lease)
    this.#quietReadings.clear()
    for (const { id, missing } of states)
      if (!missing) await blockGpu(this.lease, id, `nvidia-smi failed: ${fault.message}.`)
  }

  async #warn(warning: string | null): Promise<void> {
    if (this.#warning === warning) return
    if (warning) logger.warn(warning)
    await setGpuWarning(this.lease, warning)
    this.#warning = warning
  }
}

/** Returns the readings, and adds a reading with only a fault for each known GPU that could not be read. */
function withFaults({ gpus, faults }: GpuReport, states: GpuState[]): GpuReading[] {
  const read = new Set(gpus.map(({ uuid }) => uuid))
  const faulty = faults.flatMap(({ uuid, index, message }) => {
    const state = states.find((known) =>
      uuid === null ? !known.missing && known.index === index : known.uuid === uuid,
    )
    return state && !read.has(state.uuid) ? [unread(state, message)] : []
  })
  return [...gpus, ...faulty]
}

function unread({ index, uuid, model, memoryMib }: GpuState, fault: string): GpuReading {
  const figures = { load: null, memoryUsedMib: null, temperatureC: null, powerW: null }
  return { index, uuid, model, memoryMib, ...figures, fault }
}

function logWriteFailure(error: unknown): void {
  logger.warn({ err: error }, 'could not store a sample of the GPUs')
}
