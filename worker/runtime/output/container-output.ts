import { type Duplex, Readable } from 'node:stream'
import type { ContainerExits } from '../docker/container-exits'
import { isLive } from '../docker/container-state'
import type { DockerEngine } from '../docker/docker'
import type { EngineEvents } from '../docker/engine-events'
import { statusOf, toFault } from '../docker/engine-faults'
import { keepOpen, writeLine } from '../docker/streams'
import type { ContainerRef, OutputChunk } from '../runtime'
import type { ContainerTerminal } from './container-terminal'
import { FrameReader } from './output-frames'
import { OutputQueue } from './output-queue'
import { PlainLogReader } from './plain-log-reader'
import { type LogReader, type OutputSource, readFrames, readOutput, readTerminal } from './read-engine-log'

/** An entry may be this much older than the latest one, if the other stream has not shown it yet. */
const maxLagSeconds = 5

/** How many characters explain why a warm container ended. */
const maxPrinted = 2000

/** A warm container that waits for its task. */
interface Waiting {
  output: AsyncIterable<OutputChunk>
  /** Opened in advance: a line starts the program. Undefined: not yet. */
  input?: Duplex
}

/** Reads the complete output of containers. Throws a fault if the end of the output is uncertain. */
export class ContainerOutput {
  /** The warm containers that wait for their task, by container id. */
  private readonly waiting = new Map<string, Waiting>()

  constructor(
    private readonly engine: DockerEngine,
    private readonly watch: EngineEvents,
    private readonly exits: ContainerExits,
    private readonly terminal: ContainerTerminal,
  ) {}

  /** Starts a warm container, and listens to it from its first byte. */
  async prepare(id: string): Promise<void> {
    const output = await this.launch({ id, tty: false })
    this.waiting.set(id, { output })
    this.waiting.set(id, { output, input: keepOpen(await this.engine.openPlainInput(id)) })
  }

  /** The output of a warm container is not needed any more. */
  forget(id: string): void {
    this.waiting.get(id)?.input?.destroy()
    this.waiting.delete(id)
  }

  /** Returns the end of what a warm container without a task has printed. Resolves after its end. */
  async readWaiting(id: string): Promise<string> {
    let printed = ''
    for await (const { bytes } of this.waiting.get(id)?.output ?? [])
      printed = (printed + bytes.toString()).slice(-maxPrinted)
    return printed
  }

  /**
   * Starts a container, or the program of a warm one, and reads its output from the first byte. Nobody else may be starting
   * it: the reader would join too late.
   */
  async start(container: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    const { id, warm } = container
    if (!warm) return this.launch(container)
    const waiting = this.waiting.get(id)
    this.waiting.delete(id)
    if (waiting === undefined) return this.replay(container)
    await this.startProgram(id, waiting.input)
    return waiting.output
  }

  /** Starts the program of a warm container. Only the first line has an effect: nobody reads a later one. */
  private async startProgram(id: string, open?: Duplex): Promise<void> {
    const input = open === undefined || open.destroyed ? await this.engine.openPlainInput(id) : open
    await this.engine.ask('write to its input', writeLine(input))
  }

  private async launch({ id, tty }: Pick<ContainerRef, 'id' | 'tty'>): Promise<AsyncIterable<OutputChunk>> {
    const { engine } = this
    this.watch.of(id)
    const done = new AbortController()
    // Attaches before the start, so that no early output is missed.
    const attaching = engine.attach(id)
    try {
      const [stream, exited] = await Promise.all([attaching, this.exits.ahead(id, done.signal)])
      const output = new OutputQueue(stream)
      await engine.start(id).catch((error: unknown) => {
        if (statusOf(error) !== 304) throw error
      })
      const source = tty ? readTerminal(output) : readFrames(output, new FrameReader({ fromLog: false }))
      return this.read(id, source, () => exited(engine.timeouts.exit), done)
    } catch (error) {
      done.abort()
      attaching.then((stream) => stream.destroy()).catch(() => {})
      throw toFault(error, 'start the container')
    }
  }

  /**
   * Starts a container for which an earlier request may still be under way. Its first output may exist already, so it is
   * read from the log.
   */
  async startAgain(container: ContainerRef): Promise<AsyncIterable<OutputChunk>> {
    this.watch.of(container.id)
    try {
      await this.engine.start(container.id).catch((error: unknown) => {
        if (statusOf(error) !== 304) throw error
      })
    } catch (error) {
      throw toFault(error, 'start the container')
    }
    return this.replay(container)
  }

  /**
   * Reads a container's output from the first byte, then follows it.
   * @param mayStart whether the program of a warm container starts if an earlier worker has not started it.
   */
  async replay({ id, tty, warm }: ContainerRef, mayStart = true): Promise<AsyncIterable<OutputChunk>> {
    const status = (await this.engine.inspect(id)).State.Status
    if (warm && mayStart && status === 'running') await this.startProgram(id)
    const hasExited = () => this.exits.within(id, this.engine.timeouts.exit)
    if (status === 'created') return this.read(id, readTerminal(Readable.from([])), hasExited)
    if (isLive(status)) this.watch.of(id).interruptedMs = null
    const { timesLog } = await this.engine.dialect()
    if (tty && timesLog) return this.read(id, await this.terminal.replay(id), hasExited)
    const frames = timesLog ? new FrameReader({ fromLog: true }) : new PlainLogReader({ tty })
    return this.readLog(id, frames, await this.engine.logs(id, { follow: true }), hasExited)
  }

  /**
   * Reads the log to its end. An engine may end a followed log before its last entries when the container exits:
   * 20.10 did so 12 times out of 20 if the last line had no newline. Therefore the last part is requested again.
   */
  private async *readLog(
    id: string,
    frames: LogReader,
    followed: Readable,
    hasExited: () => Promise<boolean>,
  ): AsyncGenerator<OutputChunk> {
    yield* this.read(id, readFrames(followed, frames), hasExited)
    const { latestMs } = frames
    const since = latestMs === null ? 0 : Math.floor(latestMs / 1000) - maxLagSeconds
    const rest = await this.engine.logs(id, { follow: false, since })
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
      if (!ended) this.watch.interrupt(id)
      throw error
    } finally {
      done.abort()
    }
  }
}
