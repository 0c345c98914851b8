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

/** So much older than the latest entry of one stream may one be that the other stream has not shown yet. */
const laggingSeconds = 5

interface EngineParts {
  engine: Engine
  watch: EngineEvents
  exits: ContainerExits
  terminal: ContainerTerminal
  patience: Timeouts
  /** Gives up on an answer that does not come, and says what was tried. */
  ask: <T>(doing: string, answer: Promise<T>) => Promise<T>
  /** The engine's word for where a container is, such as `running`. */
  stateOf: (id: string) => Promise<string>
}

/** What containers print, whole: an end that the engine cannot vouch for is told as a fault. */
export class ContainerOutput {
  constructor(private readonly of: EngineParts) {}

  /** Starts a container, and hears it from its first byte. */
  async start({ id, tty }: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    const { ask, engine, exits, patience, watch } = this.of
    watch.of(id)
    const done = new AbortController()
    // Attached first: what a program prints at once would otherwise be missed.
    const attaching = ask('attach to the container', engine.attach(id))
    try {
      const [stream, exited] = await Promise.all([attaching, exits.ahead(id, done.signal)])
      const output = new OutputQueue(stream)
      await within(patience.work, 'start a container', engine.start(id)).catch((error: unknown) => {
        if (statusOf(error) !== 304) throw error
      })
      const source = tty ? readTerminal(output) : readFrames(output, new FrameReader({ fromLog: false }))
      return this.read(id, source, () => exited(patience.exit), done)
    } catch (error) {
      done.abort()
      attaching.then((stream) => stream.destroy()).catch(() => {})
      throw toFault(error, 'start the container')
    }
  }

  /** What a container has printed from its first byte on, and goes on to print. */
  async replay({ id, tty }: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    const { exits, patience, stateOf, terminal, watch } = this.of
    const status = await stateOf(id)
    const hasExited = () => exits.within(id, patience.exit)
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
   * The log to its end. An engine may end a log that it follows before the last entries when the container exits: 20.10
   * did 12 times of 20 where the last line had no newline. So what was written last is asked for once more.
   */
  private async *readLog(
    id: string,
    followed: Readable,
    hasExited: () => Promise<boolean>,
  ): AsyncGenerator<OutputChunk> {
    const frames = new FrameReader({ fromLog: true })
    yield* this.read(id, readFrames(followed, frames), hasExited)
    const { latestMs } = frames
    const since = latestMs === null ? 0 : Math.floor(latestMs / 1000) - laggingSeconds
    const rest = await this.openLog(id, { follow: false, since })
    frames.startAgain()
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
      // Where the stream did end, the container was asked after: it goes on, or `exits` has noted that it may not.
      if (!ended) this.of.watch.of(id).interrupted = true
      throw error
    } finally {
      done.abort()
    }
  }
}
