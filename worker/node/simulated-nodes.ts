import { ChangeSignal } from '@/lib/async/change-signal'
import {
  type HostMachine,
  registerSimulatedNode,
  type SimulatedNode,
  simulatedNodesOf,
} from '@/lib/cluster/simulated/serve-simulated'
import { listener } from '@/lib/database/listen'
import { logger } from '@/lib/logger'
import { NodeWorker } from './node-worker'
import type { TaskSettings } from './task/task-settings'

/** The safety net under the notifications; also how soon one that failed is tried again. */
const lookEveryMs = 3_000

interface SimulatedNodesOptions extends TaskSettings {
  /** This machine as the engine says it is now. */
  machine(): Promise<HostMachine>
}

interface Served {
  worker: NodeWorker
  ended: Promise<void>
}

/** Serves the simulated nodes of this worker's own node, each as a node of its own, for as long as they are wanted. */
export class SimulatedNodes {
  readonly #served = new Map<string, Served>()
  readonly #leaving = new AbortController()

  constructor(readonly options: SimulatedNodesOptions) {}

  /** They take nothing new, finish what runs, and leave. */
  drain(): void {
    this.#leaving.abort()
    for (const { worker } of this.#served.values()) worker.drain()
  }

  /** They stop what runs, and leave. Said twice, they wait for nothing. */
  stop(): void {
    this.#leaving.abort()
    for (const { worker } of this.#served.values()) worker.stop()
  }

  /** Resolves once it was told to leave and all of them have. */
  async serve(hostNodeId: string): Promise<void> {
    const { signal } = this.#leaving
    const wake = new ChangeSignal(signal)
    // Notifications that name a node are that node's.
    const stopListening = await listener().listen('node', (id) => {
      if (id === null || id === '') wake.notify()
    })
    try {
      while (!signal.aborted) {
        await this.#look(hostNodeId).catch((error: unknown) =>
          logger.warn({ err: error }, 'the simulated nodes could not be looked up, trying again'),
        )
        await wake.wait(lookEveryMs)
      }
    } finally {
      stopListening()
    }
    await Promise.all([...this.#served.values()].map(({ ended }) => ended))
  }

  async #look(hostNodeId: string): Promise<void> {
    const wanted = await simulatedNodesOf(hostNodeId)
    if (this.#leaving.signal.aborted) return
    for (const node of wanted) if (!this.#served.has(node.id)) this.#start(node, hostNodeId)
    const kept = new Set(wanted.map(({ id }) => id))
    for (const [id, { worker }] of this.#served) if (!kept.has(id)) worker.stop()
  }

  #start(node: SimulatedNode, hostNodeId: string): void {
    const { machine, ...settings } = this.options
    const worker = new NodeWorker({
      ...settings,
      register: async () => {
        const host = await machine()
        const asked = performance.now()
        return { lease: await registerSimulatedNode(node, hostNodeId, host), asked }
      },
      onServing: () => logger.info({ node: node.name }, 'serving a simulated node'),
    })
    const ended = worker
      .run()
      .catch((error: unknown) =>
        logger.warn({ err: error, node: node.name }, 'a simulated node is not served, trying again'),
      )
      .finally(() => this.#served.delete(node.id))
    this.#served.set(node.id, { worker, ended })
  }
}
