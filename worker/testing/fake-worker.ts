import { join } from 'node:path'
import { registerNode } from '@/lib/cluster/nodes/nodes'
import { readJobNetworks } from '@/lib/contract/job-network'
import type { AttemptStop } from '../engine/engine'
import { type NodeOptions, NodeWorker, type Registered } from '../node/node-worker'
import type { MakeTaskHook } from '../node/task/task-hook'
import type { FakeEngine } from '../runtime/testing/fake-engine'
import { FakeRuntime } from '../runtime/testing/fake-runtime'
import { makeTaskHooks } from '../task-hooks'
import type { FakeProcess } from './fake-process'

const MiB = 1024 * 1024
/** Before the default time that follows from the length of a lease, which tests should not have to wait for. */
const renewEveryMs = 200
/** Longer than any test. A timer could not be longer than 24 days. */
const neverMs = 24 * 60 * 60_000

export interface FakeWorkerOptions {
  node: string
  engine: FakeEngine
  /** Its data directory. */
  directory: string
  /** Simulated ones. */
  gpus: number
  maxOutputMib: number
  /** The job that its node was provisioned for; null: any job. */
  dedicatedTo: string | null
  /** Called after those of the features. */
  hooks: readonly MakeTaskHook[]
  startProcess(): FakeProcess
}

/** One life of a worker. */
interface Life {
  process: FakeProcess
  runtime: FakeRuntime
  worker: NodeWorker
  renewalTimes: { renewEveryMs: number; selfFenceAfterMs: number }
  ended: Promise<Error | null>
}

/** A worker of a test on a fake engine: a fake process, which can be killed at any moment and started again. */
export class FakeWorker {
  #life: Life | null = null

  constructor(readonly options: FakeWorkerOptions) {}

  get node(): string {
    return this.options.node
  }

  /** @param endsJobs it only stops what an earlier life left, and leaves */
  start({ endsJobs = false } = {}): void {
    const { engine, startProcess } = this.options
    const process = startProcess()
    const runtime = new FakeRuntime(engine)
    const renewalTimes = { renewEveryMs, selfFenceAfterMs: neverMs }
    const features = this.#taskHooks()
    const worker = new NodeWorker({
      ...this.#settings(runtime, features),
      register: () => this.#register(),
      onServing: () => {},
      endsJobs,
      renewalTimes,
    })
    const run = async (): Promise<Error | null> => {
      try {
        for (const { open } of features) await open?.()
        await worker.run()
        // It may have left running containers.
        runtime.connection.end()
        await process.exit()
        return null
      } catch (error) {
        // The process ends at once, whatever is under way.
        runtime.connection.end()
        await process.kill()
        return error instanceof Error ? error : new Error(String(error))
      }
    }
    this.#life = { process, runtime, worker, renewalTimes, ended: process.run(run) }
  }

  /** As by SIGKILL. Does nothing if it is gone. */
  async kill(): Promise<void> {
    const life = this.#life
    this.#life = null
    if (life === null) return
    life.runtime.connection.end()
    await life.process.kill()
  }

  /** As by SIGSTOP, until {@link resume}. */
  suspend(): void {
    const { process, runtime } = this.#alive
    runtime.connection.hold()
    process.suspend()
  }

  resume(): void {
    const { process, runtime } = this.#alive
    process.resume()
    runtime.connection.open()
  }

  /** Cuts it off from the database until {@link restoreDatabase}. */
  cutDatabase(): Promise<void> {
    return this.#alive.process.cut()
  }

  /** How many statements have failed because it was cut off. */
  get refusals(): number {
    return this.#alive.process.refusals
  }

  restoreDatabase(): void {
    const { process, renewalTimes } = this.#alive
    renewalTimes.selfFenceAfterMs = neverMs
    process.restore()
  }

  /** Lets its own clock say that its lease is over: it has not renewed it for too long. */
  expireByItsClock(): void {
    this.#alive.renewalTimes.selfFenceAfterMs = 0
  }

  /** As by the first SIGTERM. */
  drain(): void {
    this.#alive.worker.drain()
  }

  /** As by SIGINT where jobs outlive gpuq. */
  leave(): void {
    this.#alive.worker.leave()
  }

  /** As by SIGINT, or a second SIGTERM. */
  stop(): void {
    this.#alive.worker.stop()
  }

  /** Stops the container of an attempt, as the scheduler's engine does. */
  stopAttempt(stop: AttemptStop): Promise<void> {
    const { process, worker } = this.#alive
    return process.run(() => worker.stopAttempt(stop))
  }

  /** Resolves when it has ended by itself: with null, or the error that ended it. */
  async ended(): Promise<Error | null> {
    const error = await this.#alive.ended
    this.#life = null
    return error
  }

  get #alive(): Life {
    if (this.#life === null) throw new Error(`The worker of ${this.node} does not run.`)
    return this.#life
  }

  async #register(): Promise<Registered> {
    const { node, engine, gpus, dedicatedTo } = this.options
    const requestedAt = performance.now()
    const lease = await registerNode({
      name: node,
      engineId: engine.id,
      engineVersion: '20.10',
      warnings: [],
      dedicatedTo,
      cpuMilli: 8_000,
      memoryMib: 16_000,
      gpus: Array.from({ length: gpus }, (_, index) => ({
        index,
        uuid: `GPU-sim-${node}-${index}`,
        model: 'Simulated GPU',
        memoryMib: 24_576,
        simulated: true,
      })),
    })
    return { lease, requestedAt }
  }

  #settings(runtime: FakeRuntime, features: readonly MakeTaskHook[]): Omit<NodeOptions, 'endsJobs'> {
    const { directory, maxOutputMib, hooks } = this.options
    return {
      runtime,
      tasksDirectory: join(directory, 'tasks'),
      outputLimitBytes: maxOutputMib * MiB,
      jobNetworks: readJobNetworks('10.213.0.0/16'),
      keepsJobs: false,
      hooks: [...features, ...hooks],
    }
  }

  #taskHooks(): MakeTaskHook[] {
    const { directory, node } = this.options
    return makeTaskHooks({
      resultsLimitBytes: null,
      checkpoints: { directory: join(directory, 'checkpoints'), limitBytes: MiB },
      snapshots: {
        directory: join(directory, 'snapshots'),
        node,
        limitBytes: null,
        minFreeBytes: 0,
        readMounted: async () => new Set(),
      },
      warmLimits: { containers: 0, memoryMib: 0 },
    })
  }
}
