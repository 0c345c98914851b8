import type { Writable } from 'node:stream'
import type { DockerEngine } from '../docker/docker'
import { toFault } from '../docker/engine-faults'
import type { ContainerInput } from '../runtime'
import { OutputQueue } from './output-queue'
import type { OutputSource } from './read-engine-log'
import { readTerminalLog, replayTerminal } from './replay-terminal'

/** Operations for containers with a terminal. */
export class ContainerTerminal {
  constructor(private readonly engine: DockerEngine) {}

  /** Reads the output from the first byte to the end. */
  async replay(id: string): Promise<OutputSource> {
    const wasCut = () => false
    // The engine attaches nobody to a paused container. The worker pauses it again when it has adopted it.
    if ((await this.statusOf(id)) === 'paused') await this.engine.setPaused(id, false)
    const output = (await this.isRunning(id)) ? await this.listen(id) : null
    try {
      const log = await this.engine.logs(id, { follow: false })
      return { chunks: output ? replayTerminal(log, output) : readTerminalLog(log), wasCut }
    } catch (error) {
      output?.output.close()
      throw error
    }
  }

  async openInput(id: string): Promise<ContainerInput> {
    return toContainerInput(await this.engine.openInput(id))
  }

  private async isRunning(id: string): Promise<boolean> {
    return (await this.statusOf(id)) === 'running'
  }

  private async statusOf(id: string): Promise<string> {
    return (await this.engine.inspect(id)).State.Status
  }

  /** Returns null if the container has ended, because the engine would never close the connection. */
  private async listen(id: string) {
    const before = Date.now()
    const output = new OutputQueue(await this.engine.attach(id))
    const after = Date.now()
    try {
      if (await this.isRunning(id)) return { output, before, after }
      output.close()
      return null
    } catch (error) {
      output.close()
      throw error
    }
  }
}

function toContainerInput(stream: Writable): ContainerInput {
  let failure: unknown = null
  stream.on('error', (error) => {
    failure = error
  })
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        const fail = (error: unknown) => reject(toFault(error, 'write to its input'))
        if (failure) return fail(failure)
        const onClose = () => fail(new Error('the engine closed the connection'))
        stream.once('close', onClose)
        stream.write(bytes, (error) => {
          stream.off('close', onClose)
          if (error) fail(error)
          else resolve()
        })
      }),
    close: () => stream.destroy(),
  }
}
