import { newRef } from '../docker/container-state'
import { type ContainerRef, type Exit, type OutputChunk, RuntimeFault, type TaskContainer } from '../runtime'
import { latch } from './latch'

/** What a program does. Returns its exit code, or that the kernel killed it for memory. */
export type Script = (program: Program) => Promise<number | 'out_of_memory'>

/** A program as seen from inside. Nothing resolves while its container is paused, or after it was killed. */
export interface Program {
  readonly attempt: number
  readonly rank: number
  /** The variables of the job, and those of features. */
  readonly env: Readonly<Record<string, string>>
  /** Writes to stdout. Waits while a reader does not read. */
  print(text: string): Promise<void>
  /** Writes to stderr. */
  printError(text: string): Promise<void>
  /** From now on SIGTERM does not end the program. Resolves when the signal comes. */
  catchTermination(): Promise<void>
  /** From now on SIGTERM has no effect. */
  ignoreTermination(): void
}

/** How many bytes a program may be ahead of a reader: the buffers of a real engine. */
const aheadBytes = 1024 * 1024
const killed = 128 + 9
const terminated = 128 + 15

/** A reader of the output of a container. */
interface Reader {
  next: number
  unreadBytes: number
  /** Whether the process that reads exists. */
  isOpen(): boolean
}

/** A container of the fake engine, which runs a script. */
export class FakeContainer {
  readonly ref: ContainerRef
  paused = false
  removed = false
  /** What those who watched its end say of it, instead of its exit code; and who did. */
  foreignEnd: { message: string; seenBy: ReadonlySet<unknown> } | null = null
  /** Whether it survives SIGKILL. */
  unkillable = false
  readonly #log: OutputChunk[] = []
  readonly #readers = new Set<Reader>()
  #exit: Exit | null = null
  #startedAt: Date | null = null
  #termination: 'default' | 'ignored' | (() => void) = 'default'
  #changed = latch()
  readonly #ended = latch()

  constructor(
    readonly task: TaskContainer,
    id: string,
  ) {
    this.ref = newRef(task, id)
  }

  get state(): ContainerRef['state'] {
    if (this.#exit !== null || this.removed) return 'exited'
    return this.#startedAt === null ? 'created' : 'running'
  }

  /** Resolves when the container has ended or was removed. */
  get ended(): Promise<void> {
    return this.#ended.opened
  }

  /** How it ended. @throws RuntimeFault if it has not, or was removed. */
  get exit(): Exit {
    if (this.removed) throw new RuntimeFault('container_gone', 'The container was removed.')
    if (this.#exit === null)
      throw new RuntimeFault('engine_error', `The container has not ended: it is ${this.state}.`)
    return this.#exit
  }

  /** Starts the program. Does nothing if it has started. */
  start(script: Script): void {
    if (this.#startedAt !== null) return
    this.#startedAt = new Date()
    void script(this.#program()).then((end) =>
      this.#finish(end === 'out_of_memory' ? killed : end, end === 'out_of_memory'),
    )
  }

  #program(): Program {
    return {
      attempt: this.task.attempt,
      rank: this.task.rank,
      env: { ...this.task.env, ...this.task.variables },
      print: (text) => this.#write('stdout', text),
      printError: (text) => this.#write('stderr', text),
      catchTermination: () => {
        const caught = latch()
        this.#termination = caught.open
        return caught.opened.then(() => this.#untilRunnable())
      },
      ignoreTermination: () => {
        this.#termination = 'ignored'
      },
    }
  }

  async #write(stream: OutputChunk['stream'], text: string): Promise<void> {
    await this.#untilRunnable()
    const bytes = Buffer.from(text)
    this.#log.push({ stream, bytes })
    for (const reader of this.#readers) reader.unreadBytes += bytes.length
    this.notify()
    const isFull = () =>
      [...this.#readers].some(({ unreadBytes, isOpen }) => unreadBytes > aheadBytes && isOpen())
    while (isFull()) await this.#changed.opened
    await this.#untilRunnable()
  }

  /** Resolves when the program gets time to run: never after its end. */
  async #untilRunnable(): Promise<void> {
    while (this.paused || this.state !== 'running') await this.#changed.opened
  }

  /** Lets those who wait for a change look again. */
  notify(): void {
    const changed = this.#changed
    this.#changed = latch()
    changed.open()
  }

  /** Attaches a reader, whose process exists while `isOpen`, to the output from the first byte on. */
  attach(isOpen: () => boolean): Reader {
    const unreadBytes = this.#log.reduce((sum, { bytes }) => sum + bytes.length, 0)
    const reader = { next: 0, unreadBytes, isOpen }
    this.#readers.add(reader)
    return reader
  }

  detach(reader: Reader): void {
    this.#readers.delete(reader)
    this.notify()
  }

  /** The next output for a reader; null: all of it was read, and no more will come. */
  async read(reader: Reader): Promise<OutputChunk | null> {
    while (this.#log.length === reader.next) {
      if (this.state === 'exited') return null
      await this.#changed.opened
    }
    const chunk = this.#log[reader.next]
    if (chunk === undefined) return null
    reader.next += 1
    reader.unreadBytes -= chunk.bytes.length
    this.notify()
    return chunk
  }

  setPaused(paused: boolean): void {
    if (this.state !== 'running') return
    this.paused = paused
    this.notify()
  }

  /** Sends SIGTERM. Returns whether the program may still end by itself. */
  terminate(): boolean {
    this.setPaused(false)
    if (this.#termination === 'default') this.#kill(terminated)
    if (typeof this.#termination !== 'function') return false
    this.#termination()
    return true
  }

  /** Sends SIGKILL. */
  kill(): void {
    this.#kill(killed)
  }

  #kill(exitCode: number): void {
    if (!this.unkillable) this.#finish(exitCode)
  }

  remove(): void {
    this.removed = true
    this.#ended.open()
    this.notify()
  }

  #finish(exitCode: number, outOfMemory = false): void {
    if (this.state !== 'running') return
    this.#exit = { exitCode, outOfMemory, startedAt: this.#startedAt, finishedAt: new Date() }
    this.paused = false
    this.#ended.open()
    this.notify()
  }
}
