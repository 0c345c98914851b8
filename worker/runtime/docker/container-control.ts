import { RuntimeFault } from '../runtime'
import type { ContainerExits } from './container-exits'
import { isLive } from './container-state'
import type { DockerEngine } from './docker'
import type { EngineEvents } from './engine-events'
import { statusOf } from './engine-faults'

/** Stops, pauses and resumes containers. */
export class ContainerControl {
  constructor(
    private readonly engine: DockerEngine,
    private readonly watch: EngineEvents,
    private readonly exits: ContainerExits,
  ) {}

  /** Sends SIGTERM, waits `graceMs`, sends SIGKILL. @throws RuntimeFault `kill_failed` if it does not end. */
  async stop(id: string, graceMs: number): Promise<void> {
    this.watch.of(id).stopping = true
    await this.kill(id, 'SIGTERM')
    if (await this.exits.within(id, graceMs)) return
    await this.kill(id, 'SIGKILL')
    if (await this.exits.within(id, this.engine.timeouts.kill)) return
    throw new RuntimeFault('kill_failed', `The container ${id} did not end after SIGKILL.`)
  }

  /** Does nothing if the container has ended, or is in that state already. */
  async setPaused(id: string, paused: boolean): Promise<void> {
    try {
      await this.engine.setPaused(id, paused)
    } catch (error) {
      if (statusOf(error) === undefined) throw error
      const status = await this.statusOf(id)
      if (status !== null && isLive(status) && (status === 'paused') !== paused) throw error
    }
  }

  private async kill(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    try {
      const { resumesForSignals } = await this.engine.dialect()
      if (!resumesForSignals && (await this.statusOf(id)) === 'paused') await this.engine.setPaused(id, false)
      await this.engine.kill(id, signal)
    } catch (error) {
      // Ignores other errors of the engine, because the following check shows whether the container ended.
      if (statusOf(error) === undefined) throw error
    }
  }

  /** Null: the engine has no such container. */
  private async statusOf(id: string): Promise<string | null> {
    return (await this.engine.find(id))?.State.Status ?? null
  }
}
