import { backoff } from '@/lib/async/backoff'
import { sleep, unlessAborted } from '@/lib/async/sleep'
import { logger } from '@/lib/logger'
import { countStatus, type NodeCheck } from '@/lib/node-checks/contract'
import { isCheckRequested, readCheckSubject, recordChecks } from '@/lib/node-checks/node-checks'
import type { NodeContext } from '../node/node-context'
import type { MakeTaskHook, NodeUse } from '../node/task/task-hook'
import { clearTestContainers, type TestHost } from '../node/test-container'
import { type CheckerSettings, checkNode } from './check-node'

/** How often a node looks whether an admin requested a check. */
const pollIntervalMs = 3_000
const firstIntervalMs = 10 * 60_000
const hourMs = 3_600_000

/** Checks the node beside its tasks. */
export const nodeChecks =
  (settings: CheckerSettings): MakeTaskHook =>
  (node) =>
    node.endsJobs ? {} : { serve: (use, signal) => new NodeChecker(node, use, settings).run(signal) }

/**
 * Checks a node under one lease: at its start, then 10, 20 … minutes later up to the maximum interval while nothing
 * changes, and when an admin requests it.
 */
class NodeChecker {
  readonly #host: TestHost
  #unchanged = 0
  #last: string | undefined
  #nextAt: number

  constructor(
    readonly node: NodeContext,
    readonly use: NodeUse,
    readonly settings: CheckerSettings,
  ) {
    const { runtime, tasksDirectory, lease } = node
    this.#host = { runtime, directory: `${tasksDirectory}.check`, nodeId: `check-${lease.nodeId}` }
    this.#nextAt = settings.intervalHours > 0 ? 0 : Number.POSITIVE_INFINITY
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#tryTo(() => clearTestContainers(this.#host))
    while (!signal.aborted) {
      if (this.use.isOpen()) await this.#tryTo(() => this.#checkIfDue(signal))
      await sleep(pollIntervalMs, signal)
    }
    await this.#tryTo(() => clearTestContainers(this.#host))
  }

  async #tryTo(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      logger.warn({ err: error }, 'could not check this node, retrying')
    }
  }

  async #checkIfDue(signal: AbortSignal): Promise<void> {
    if (performance.now() < this.#nextAt && !(await isCheckRequested(this.node.lease))) return
    const subject = await readCheckSubject(this.node.lease)
    if (subject === null) return
    const { startedAt, ...known } = subject
    this.use.onUse(known.freeGpus)
    const checks = await unlessAborted(checkNode(this.#host, this.settings, known), signal)
    if (checks === null) return
    await recordChecks(this.node.lease, startedAt, checks)
    this.#plan(checks)
  }

  #plan(checks: readonly NodeCheck[]): void {
    const result = checks.map(({ id, status }) => `${id}: ${status}`).join()
    const changed = result !== this.#last
    this.#unchanged = changed ? 0 : this.#unchanged + 1
    this.#last = result
    const { intervalHours } = this.settings
    if (intervalHours > 0)
      this.#nextAt = performance.now() + backoff(this.#unchanged + 1, firstIntervalMs, intervalHours * hourMs)
    if (changed)
      logger.info(
        { failures: countStatus(checks, 'failure'), warnings: countStatus(checks, 'warning') },
        'checked this node',
      )
  }
}
