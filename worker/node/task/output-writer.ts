import { sleep } from '@/lib/async/sleep'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { appendOutput } from '@/lib/cluster/tasks/task-output'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { OutputEncoder } from '@/lib/results/encode'
import type { OutputChunk } from '../../runtime/runtime'
import { retryWrite } from '../lease/retry-write'
import { ReplayedStream } from './replayed-stream'
import { shownRank } from './shown-rank'

/** Shortest time between two stored batches: a line shows within 100 ms, and a storm of lines makes few writes. */
const batchEveryMs = 30
/** A reader that is ahead of the database by this much waits, and so does the container. */
const mostWaitingBytes = 4 * 1024 * 1024
/** Largest batch: what one row holds. */
const mostBatchBytes = 1024 * 1024

interface Encoded {
  bytes: Buffer
  consumed: { stdout: number; stderr: number }
}

/**
 * Carries one task's output into the database, in batches. A database that does not answer is tried again for as
 * long as the lease lasts; nothing is dropped meanwhile, because the container is made to wait.
 */
export class OutputWriter {
  readonly #encoder: OutputEncoder
  #start: number
  readonly #waiting: Encoded[] = []
  #waitingBytes = 0
  #storing: Promise<void> | undefined
  #failed: unknown
  #ended = false
  /** Raw bytes that came, those among them that an earlier worker had taken. */
  readonly #received = { stdout: 0, stderr: 0 }
  readonly #streams = { stdout: new ReplayedStream(), stderr: new ReplayedStream() }

  constructor(
    readonly lease: Lease,
    readonly task: ClaimedTask,
    readonly limitBytes: number,
    readonly signal: AbortSignal,
  ) {
    this.#start = task.outputBytes
    const rank = shownRank(task)
    this.#encoder = new OutputEncoder({
      limitBytes,
      ...(rank === undefined ? {} : { rank }),
      resume: {
        consumed: { stdout: task.stdoutConsumed, stderr: task.stderrConsumed },
        encodedBytes: task.outputBytes,
      },
      terminal: task.spec.tty,
    })
  }

  get limitReached(): boolean {
    return this.#encoder.limitReached
  }

  /** The output is about to be read from its first byte again: what came already is passed over. */
  startOver(): void {
    this.#streams.stdout.startOver()
    this.#streams.stderr.startOver()
  }

  /** Takes raw output. Resolves at once, or when the database has caught up. */
  async take(chunk: OutputChunk): Promise<void> {
    if (chunk.live) this.#goLive(chunk.stream)
    const bytes = this.#streams[chunk.stream].push(chunk.bytes)
    this.#received[chunk.stream] += bytes.length
    this.#keep(this.#encoder.feed(chunk.stream, bytes, new Date()).bytes, this.#encoder.state.consumed)
    this.#storing ??= this.#store()
    while (this.#waitingBytes > mostWaitingBytes && this.#storing) await this.#storing
    if (this.#failed) throw this.#failed
  }

  /** The program's own words from now on: all that was read of it before counts as having come. */
  #goLive(stream: OutputChunk['stream']): void {
    this.#streams[stream].expectNoMore()
    this.#encoder.skipNoMore(stream)
    this.#received[stream] = Math.max(this.#received[stream], this.#encoder.state.consumed[stream])
  }

  /**
   * Puts a record of gpuq's own between the job's. It stands for no byte of a stream, and does not count against the
   * job's limit until another worker goes on with the task, which knows only how much is stored in all.
   */
  add(record: Buffer): void {
    if (this.#ended || this.#failed || this.limitReached || this.signal.aborted) return
    this.#keep(record, this.#encoder.state.consumed)
    this.#storing ??= this.#store()
  }

  /**
   * Stores what is left, once both streams have ended. From there on all that came counts as taken, what the limit cut
   * off too: a worker that has to do this end again has nothing to add.
   */
  async end(): Promise<void> {
    this.#ended = true
    this.#keep(this.#encoder.end(new Date()).bytes, this.#received)
    await this.#storing
    if (this.#failed) throw this.#failed
    while (this.#waitingBytes > 0) await this.#storeBatch()
  }

  #keep(bytes: Buffer, consumed: Encoded['consumed']): void {
    if (bytes.length === 0) return
    this.#waiting.push({ bytes, consumed })
    this.#waitingBytes += bytes.length
  }

  /** Stores batches until nothing waits: the first at once, later ones no more often than the interval. */
  async #store(): Promise<void> {
    try {
      do {
        this.#keep(this.#encoder.flush(new Date()).bytes, this.#encoder.state.consumed)
        if (this.#waitingBytes > 0) await this.#storeBatch()
        if (this.#waitingBytes < mostBatchBytes) await sleep(batchEveryMs, this.signal)
      } while (!this.signal.aborted && (this.#waitingBytes > 0 || this.#encoder.holdsOutput))
    } catch (error) {
      this.#failed = error
    } finally {
      this.#storing = undefined
    }
  }

  async #storeBatch(): Promise<void> {
    const { bytes: records, consumed } = this.#takeBatch()
    const batch = {
      start: this.#start,
      records,
      stdoutConsumed: consumed.stdout,
      stderrConsumed: consumed.stderr,
    }
    await retryWrite(this.signal, 'output', () => appendOutput(this.lease, this.task, batch))
    this.#start += records.length
  }

  /** The next batch, and the raw bytes that it and all before it stand for. */
  #takeBatch(): Encoded {
    let size = 0
    let count = 0
    for (const { bytes } of this.#waiting) {
      if (count > 0 && size + bytes.length > mostBatchBytes) break
      size += bytes.length
      count += 1
    }
    const taken = this.#waiting.splice(0, count)
    this.#waitingBytes -= size
    const last = taken.at(-1)
    if (!last) throw new Error('no output waits')
    return { bytes: Buffer.concat(taken.map(({ bytes }) => bytes)), consumed: last.consumed }
  }
}
