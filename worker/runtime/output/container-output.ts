import { Readable } from 'node:stream'
import type { ContainerExits } from '../docker/container-exits'
import type { Engine } from '../docker/engine'
import type { EngineEvents } from '../docker/engine-events'
import { statusOf, toFault, within } from '../docker/engine-faults'
import type { Timeouts } from '../docker/timeouts'
import type { ContainerRef, OutputChunk } from '../runtime'
import type { ContainerTerminal } from './container-terminal'
import { FrameReader } from './output-frames'
import { OutputQueue } from './output-queue'
import { type OutputSource, readFrames, readOutput, readTerminal } from './read-engine-log'

/** An entry may be this much older than the latest one, if the other stream has not shown it yet. */
const maxLagSeconds = 5

interface EngineParts {
  engine: Engine
  watch: EngineEvents
  exits: ContainerExits
  terminal: ContainerTerminal
  timeouts: Timeouts
  /** Rejects after a timeout, with the description of the operation. */
  ask: <T>(doing: string, answer: Promise<T>) => Promise<T>
  /** The engine's state of a container, such as `running`. */
  stateOf: (id: string) => Promise<string>
}

/** Reads the complete output of containers. Throws a fault if the end of the output is uncertain. */
export class ContainerOutput {
  constructor(private readonly of: EngineParts) {}

  /** Starts a container and reads its output from the first byte. */
  async start({ id, tty }: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    const { ask, engine, exits, timeouts, watch } = this.of
    watch.of(id)
    const done = new AbortController()
    // Attaches before the start, so that no early output is missed.
    const attaching = ask('attach to the container', engine.attach(id))
    try {
      const [stream, exited] = await Promise.all([attaching, exits.ahead(id, done.signal)])
      const output = new OutputQueue(stream)
      await within(timeouts.work, 'start a container', engine.start(id)).catch((error: unknown) => {
        if (statusOf(error) !== 304) throw error
      })
      const source = tty ? readTerminal(output) : readFrames(output, new FrameReader({ fromLog: false }))
      return this.read(id, source, () => exited(timeouts.exit), done)
    } catch (error) {
      done.abort()
      attaching.then((stream) => stream.destroy()).catch(() => {})
      throw toFault(error, 'start the container')
    }
  }

  /** Reads a container's output from the first byte, then follows it. */
  async replay({ id, tty }: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    const { exits, timeouts, stateOf, terminal, watch } = this.of
    const status = await stateOf(id)
    const hasExited = () => exits.within(id, timeouts.exit)
    if (status === 'created') return this.read(id, readTerminal(Readable.from([])), hasExited)
    if (status === 'running') watch.of(id).interrupted = false
    if (tty) return this.read(id, await terminal.replay(id), hasExited)
    return this.readLog(id, await this.openLog(id, { follow: true }), hasExited)
  }

  private openLog(id: string, options: { follow: boolean; since?: number }): Promise<Readable> {
    const { ask, engine } = this.of
    const query = { stdout: true, stderr: true, timestamps: true, ...options }
    return ask("read the container's log", engine.open('GET', `/containers/${id}/logs`, query))
  }

  /**
   * Reads the log to its end. An engine may end a followed log before its last entries when the container exits:
   * 20.10 did so 12 times out of 20 if the last line had no newline. Therefore the last part is requested again.
   */
  private async *readLog(
    id: string,
    followed: Readable,
    hasExited: () => Promise<boolean>,
  ): AsyncGenerator<OutputChunk> {
    const frames = new FrameReader({ fromLog: true })
    yield* this.read(id, readFrames(followed, frames), hasExited)
    const { latestMs } = frames
    const since = latestMs === null ? 0 : Math.floor(latestMs / 1000) - maxLagSeconds
    const rest = await this.openLog(id, { follow: false, since })
    frames.restartLog()
    yield* this.read(id, readFrames(rest, frames), hasExited)
  }

  private async *read(
    id: string,
    source: OutputSource,
    hasExited: () => Promise<boolean>,
    done = new AbortController(),
  ): AsyncGenerator<OutputChunk> {
    let ended = false
    const confirm = () => {
      ended = true
      return hasExited()
    }
    try {
      yield* readOutput(source, confirm)
    } catch (error) {
      // If the stream did end, the state was checked: the container runs, or `exits` has recorded the uncertainty.
      if (!ended) this.of.watch.of(id).interrupted = true
      throw error
    } finally {
      done.abort()
    }
  }
}
