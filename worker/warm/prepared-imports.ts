import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { sleep } from '@/lib/async/sleep'
import { errorCode } from '@/lib/contract/error-code'
import { logger } from '@/lib/logger'
import { recordPrepareProblem } from '@/lib/warm/warm-containers'
import type { NodeContext } from '../node/node-context'
import { prepareLimitS, readyFile } from '../runtime/prepared/prepare-script'
import type { TaskContainer, WarmContainer } from '../runtime/runtime'
import type { ClassDemand } from './class-demand'

const checkIntervalMs = 100

/** What the imports of a class need to be named. */
type Imports = Pick<TaskContainer, 'image' | 'prepare'>

/**
 * The imports that warm containers make before their job is known. If they cannot be used for a class, its containers wait without
 * them until the class has not been in use for an hour, the environment changes, or the worker starts again.
 */
export class PreparedImports {
  /** Classes whose imports worked at least once. */
  readonly #proven = new Set<string>()

  constructor(
    private readonly node: NodeContext,
    private readonly demand: Pick<ClassDemand, 'limits' | 'templateOf' | 'refuseImports'>,
  ) {}

  areProven(key: string): boolean {
    return this.#proven.has(key)
  }

  /**
   * Resolves when a container has made its imports; with false, when it does not wait any more.
   * @param results its `/results` on this host. Null: it cannot report, but it ends if its imports take too long.
   */
  async untilMade(
    key: string,
    results: string | null,
    isWaiting: () => boolean,
    closing: AbortSignal,
  ): Promise<boolean> {
    const deadlineMs = performance.now() + (prepareLimitS + 1) * 1000
    while (isWaiting() && !(await this.#takeReport(results)) && performance.now() < deadlineMs)
      await sleep(checkIntervalMs, closing)
    if (!isWaiting()) return false
    const task = this.demand.templateOf(key)
    if (task !== undefined && !this.#proven.has(key)) {
      this.#proven.add(key)
      await recordPrepareProblem(this.node.lease, task, null)
    }
    return true
  }

  /** Removes the file with which a container reports that its imports are made. Returns whether there was one. */
  async #takeReport(results: string | null): Promise<boolean> {
    if (results === null) return false
    try {
      await unlink(join(results, readyFile))
      return true
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      return false
    }
  }

  /** A container with imports ended before it had a job. */
  async ended(key: string, container: WarmContainer): Promise<void> {
    const task = this.demand.templateOf(key)
    if (task === undefined) return
    const problem = await this.node.runtime.warm.prepareFailure(container, task.memoryMib)
    await this.refuse(key, { image: task.image, prepare: container.prepare }, problem)
  }

  /** Whether a container takes no more memory than all of them may. If it takes more, the imports are not used. */
  async fit(key: string, { prepare }: WarmContainer, memoryMib: number): Promise<boolean> {
    const limit = this.demand.limits.memoryMib
    const image = this.demand.templateOf(key)?.image
    if (prepare.length === 0 || memoryMib <= limit || image === undefined) return true
    const problem = `a waiting container takes ${memoryMib} MiB, and GPUQ_WARM_MEMORY_MIB allows ${limit} MiB`
    await this.refuse(key, { image, prepare }, problem)
    return false
  }

  /** The imports of the class are not used any more, for a reason that admins see. */
  async refuse(key: string, { image, prepare }: Imports, problem: string): Promise<void> {
    this.demand.refuseImports(key)
    this.#proven.delete(key)
    logger.warn({ image, prepare, problem }, 'prepared imports cannot be used; jobs import their modules')
    await recordPrepareProblem(this.node.lease, { image, prepare }, problem)
  }
}
