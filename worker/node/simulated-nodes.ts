import { ChangeSignal } from '@/lib/async/change-signal'
import {
  type HostMachine,
  registerSimulatedNode,
  type SimulatedNode,
  simulatedNodesOf,
} from '@/lib/cluster/simulated/serve-simulated'
import { listener } from '@/lib/database/listen'
import { logger } from '@/lib/logger'
import { type NodeOptions, NodeWorker } from './node-worker'

/** Polling interval in case a notification is lost, and retry interval after a failure. */
const pollIntervalMs = 3_000

interface SimulatedNodesOptions extends NodeOptions {
  /** The current properties of this machine, from the engine. */
  machine(): Promise<HostMachine>
}

interface Served {
  worker: NodeWorker
  /** Resolves when it has a lease for the first time. */
  registered: Promise<void>
  ended: Promise<void>
}

/** Serves the simulated nodes hosted by this worker's own node, each as a separate node, for as long as they exist. */
export class SimulatedNodes {
  readonly #served = new Map<string, Served>()
  readonly #leaving = new AbortController()
  #onRegistered: () => void = () => {}
  /**
   * Resolves when those that exist have a lease, or cannot have one now: before that, a leader would mark them as lost
   * after a longer stop, with their running tasks.
   */
  readonly registered = new Promise<void>((resolve) => {
    this.#onRegistered = resolve
  })

  constructor(readonly options: SimulatedNodesOptions) {}

  /** They accept no new tasks, wait for running ones, and leave. */
  drain(): void {
    this.#leaving.abort()
    for (const { worker } of this.#served.values()) worker.drain()
  }

  /** They stop running tasks and leave. After a second call they leave without waiting. */
  stop(): void {
    this.#leaving.abort()
    for (const { worker } of this.#served.values()) worker.stop()
  }

  /** They leave at once. Their containers run on. */
  leave(): void {
    this.#leaving.abort()
    for (const { worker } of this.#served.values()) worker.leave()
  }

  /** Resolves once it was told to leave and all nodes have left. */
  async serve(hostNodeId: string): Promise<void> {
    const { signal } = this.#leaving
    const wake = new ChangeSignal(signal)
    // Notifications with a node id are for that node.
    const stopListening = await listener().listen('node', (id) => {
      if (id === null || id === '') wake.notify()
    })
    try {
      while (!signal.aborted) {
        await this.#look(hostNodeId).catch((error: unknown) =>
          logger.warn({ err: error }, 'could not look up the simulated nodes, retrying'),
        )
        await wake.wait(pollIntervalMs)
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
    void Promise.all(
      [...this.#served.values()].map(({ registered, ended }) => Promise.race([registered, ended])),
    ).then(this.#onRegistered)
    const kept = new Set(wanted.map(({ id }) => id))
    for (const [id, { worker }] of this.#served) if (!kept.has(id)) worker.stop()
  }

  #start(node: SimulatedNode, hostNodeId: string): void {
    const { machine, ...settings } = this.options
    let onServing = () => {}
    const registered = new Promise<void>((resolve) => {
      onServing = resolve
    })
    const worker = new NodeWorker({
      ...settings,
      register: async () => {
        const host = await machine()
        const requestedAt = performance.now()
        return { lease: await registerSimulatedNode(node, hostNodeId, host), requestedAt }
      },
      onServing: () => {
        logger.info({ node: node.name }, 'serving a simulated node')
        onServing()
      },
    })
    const ended = worker
      .run()
      .catch((error: unknown) =>
        logger.warn({ err: error, node: node.name }, 'could not serve a simulated node, retrying'),
      )
      .finally(() => this.#served.delete(node.id))
    this.#served.set(node.id, { worker, registered, ended })
  }
}
