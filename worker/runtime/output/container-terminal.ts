import type { Writable } from 'node:stream'
import type { Engine } from '../docker/engine'
import { toFault } from '../docker/engine-faults'
import type { ContainerInput, TerminalSize } from '../runtime'
import { OutputQueue } from './output-queue'
import type { OutputSource } from './read-engine-log'
import { readTerminalLog, replayTerminal } from './replay-terminal'

/** Operations for containers with a terminal. */
export class ContainerTerminal {
  constructor(
    private readonly engine: Engine,
    private readonly ask: <T>(doing: string, answer: Promise<T>) => Promise<T>,
    private readonly isRunning: (id: string) => Promise<boolean>,
  ) {}

  /** Reads the output from the first byte to the end. */
  async replay(id: string): Promise<OutputSource> {
    const wasCut = () => false
    const output = (await this.isRunning(id)) ? await this.listen(id) : null
    try {
      const query = { follow: false, stdout: true, stderr: true, timestamps: true }
      const answer = this.engine.open('GET', `/containers/${id}/logs`, query)
      const log = await this.ask("read the container's log", answer)
      return { chunks: output ? replayTerminal(log, output) : readTerminalLog(log), wasCut }
    } catch (error) {
      output?.output.close()
      throw error
    }
  }

  async openInput(id: string): Promise<ContainerInput> {
    return toContainerInput(await this.ask('attach to its input', this.engine.openInput(id)))
  }

  async resize(id: string, { columns, rows }: TerminalSize): Promise<void> {
    await this.ask('resize the terminal', this.engine.resize(id, { w: columns, h: rows }))
  }

  /** Returns null if the container has ended, because the engine would never close the connection. */
  private async listen(id: string) {
    const before = Date.now()
    const output = new OutputQueue(await this.ask('attach to the container', this.engine.attach(id)))
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
