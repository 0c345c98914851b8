import { constants } from 'node:os'
import type { Exit } from '../runtime'
import type { ContainerExits } from './container-exits'
import { isLive, refuseForeignEnd, toExit } from './container-state'
import type { DockerEngine } from './docker'
import type { EngineEvents } from './engine-events'

/** Finds out how containers ended. */
export class ContainerEnds {
  constructor(
    private readonly engine: DockerEngine,
    private readonly watch: EngineEvents,
    private readonly exits: ContainerExits,
  ) {}

  /**
   * Resolves when the container has exited, immediately if it already has.
   * @throws RuntimeFault if not its program ended it, but the engine or something outside gpuq.
   */
  async wait(id: string): Promise<Exit> {
    const notes = this.watch.of(id)
    if (notes.interruptedMs !== null && isLive((await this.engine.inspect(id)).State.Status))
      notes.interruptedMs = null
    await this.exits.until(id)
    const exit = toExit(await this.engine.inspect(id))
    await this.watch.reported(id, this.engine.timeouts.lateEvent)
    if (notes.interruptedMs !== null && (await this.engine.ask('recall the end', this.watch.sawEnd(id))))
      notes.interruptedMs = null
    exit.outOfMemory ||= await (await this.engine.dialect()).killedForMemory(id)
    if (exit.exitCode > 128 && !exit.outOfMemory) await this.untilExplained(id, exit.exitCode - 128)
    if (exit.outOfMemory || notes.outOfMemory) return { ...exit, outOfMemory: true }
    if (!notes.stopping) refuseForeignEnd(exit, notes)
    return exit
  }

  /** For an end by a signal: the event that explains it may arrive a moment later. */
  private async untilExplained(id: string, signal: number): Promise<void> {
    const { lateEvent, lateKill } = this.engine.timeouts
    const isKill = signal === constants.signals.SIGKILL || signal === constants.signals.SIGTERM
    await this.watch.explained(id, signal, isKill ? lateKill : lateEvent)
  }
}
