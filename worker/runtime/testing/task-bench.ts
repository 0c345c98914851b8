import { EngineRuntime, type RuntimeOptions } from '../docker/engine-runtime'
import type { ContainerRef, TaskContainer } from '../runtime'
import { requestClassOf } from '../spec/warm-spec'
import { RuntimeBench } from './runtime-bench'

/** Runs tasks from Python sources on the real engine. */
export class TaskBench extends RuntimeBench<EngineRuntime> {
  private readonly warm: boolean

  constructor({
    nodeId,
    timeouts,
    warm = false,
    ...options
  }: Partial<RuntimeOptions & { nodeId: string; warm: boolean }> = {}) {
    const runtime = new EngineRuntime({
      outputLimitBytes: 8 * 1024 * 1024,
      // Generous, because a busy machine is slow.
      timeouts: { exit: 60_000, kill: 60_000, ...timeouts },
      ...options,
    })
    super(runtime, nodeId)
    this.warm = warm
  }

  /** Creates the container of a task; on a warm bench one that has waited for it if its class can have one. */
  override async create(task: TaskContainer): Promise<ContainerRef> {
    if (!this.warm || requestClassOf(task) === null) return this.runtime.create(task)
    const container = await this.runtime.create({ ...task, warm: await this.runtime.warm.start(task) })
    if (!container.warm) throw new Error('The warm container was not used.')
    return container
  }

  override async cleanUp(): Promise<void> {
    const unused = await this.runtime.warm.listWithoutTask(this.nodeId)
    await Promise.all(unused.map((name) => this.runtime.warm.remove({ name })))
    await super.cleanUp()
  }
}
