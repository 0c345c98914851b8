import { sleep } from '@/lib/async/sleep'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { appendOutput } from '@/lib/cluster/tasks/task-progress'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import type { MetricRecord } from '@/lib/contract/output/records'
import { traceStep } from '@/lib/logger'
import { OutputEncoder } from '@/lib/results/encode'
import { encodeMetric, encodeNote } from '@/lib/results/notes'
import type { OutputChunk } from '../../runtime/runtime'
import { retryWrite } from '../lease/retry-write'
import { ReplayedStream } from './replayed-stream'

/** Minimum interval between stored batches: a line appears within 100 ms, and many lines cause few writes. */
const batchIntervalMs = 30
/** A reader that is this far ahead of the database waits, and so does the container. */
const maxPendingBytes = 4 * 1024 * 1024
/** Maximum batch, unless one record is larger. */
const maxBatchBytes = 1024 * 1024

interface Encoded {
  bytes: Buffer
  consumed: { stdout: number; stderr: number }
}

/**
 * Stores one task's output in the database, in batches. Retries while the database is unavailable and the lease
 * lasts; no output is lost, because the container has to wait.
 */
export class OutputWriter {
  readonly #encoder: OutputEncoder
  /** The rank in the task's records; undefined for a job with one task, whose records have no rank. */
  readonly #rank: number | undefined
  #start: number
  readonly #waiting: Encoded[] = []
  #waitingBytes = 0
  #storing: Promise<void> | undefined
  #failed: unknown
  #ended = false
  readonly #ending = new AbortController()
  /** Ends the pauses between batches. */
  readonly #pause: AbortSignal
  /** Raw bytes received, including those that an earlier worker stored. */
  readonly #received = { stdout: 0, stderr: 0 }
  readonly #streams = { stdout: new ReplayedStream(), stderr: new ReplayedStream() }

  constructor(
    readonly lease: Lease,
    readonly task: ClaimedTask,
    readonly limitBytes: number,
    readonly signal: AbortSignal,
  ) {
    this.#pause = AbortSignal.any([signal, this.#ending.signal])
    this.#start = task.outputBytes
    this.#rank = task.instances > 1 ? task.rank : undefined
    this.#encoder = new OutputEncoder({
      limitBytes,
      ...(this.#rank === undefined ? {} : { rank: this.#rank }),
      resume: {
        consumed: { stdout: task.stdoutConsumed, stderr: task.stderrConsumed },
        encodedBytes: task.outputBytes,
      },
      metrics: task.metrics,
      terminal: task.spec.tty,
    })
  }

  get limitReached(): boolean {
    return this.#encoder.limitReached
  }

  /** Prepares for reading the output from its first byte again; known output is skipped. */
  restartReplay(): void {
    this.#streams.stdout.restartReplay()
    this.#streams.stderr.restartReplay()
  }

  /** Accepts raw output. Resolves at once, or when the database has caught up. */
  async write(chunk: OutputChunk): Promise<void> {
    if (this.#start === 0 && this.#waitingBytes === 0) traceStep('first byte', this.task.jobId)
    if (chunk.live) this.#goLive(chunk.stream)
    const bytes = this.#streams[chunk.stream].push(chunk.bytes)
    this.#received[chunk.stream] += bytes.length
    this.#keep(this.#encoder.feed(chunk.stream, bytes, new Date()).bytes, this.#encoder.state.consumed)
    this.#storing ??= this.#store()
    while (this.#waitingBytes > maxPendingBytes && this.#storing) await this.#storing
    if (this.#failed) throw this.#failed
  }

  /** What follows is new output; everything before counts as received. */
  #goLive(stream: OutputChunk['stream']): void {
    this.#streams[stream].endReplay()
    this.#encoder.stopSkipping(stream)
    this.#received[stream] = Math.max(this.#received[stream], this.#encoder.state.consumed[stream])
  }

  /** Records a traceback that waits for the other stream, because nothing more can come before it. */
  releaseTraceback(): void {
    this.#keep(this.#encoder.releaseTraceback(new Date()).bytes, this.#encoder.state.consumed)
  }

  /** Inserts a message of gpuq. */
  addNote(text: string): void {
    this.releaseTraceback()
    this.#insert(encodeNote(text, new Date(), this.#rank))
  }

  /** Inserts a record of the usage of the task's GPUs. */
  addMetric(gpus: MetricRecord['gpus']): void {
    this.#insert(encodeMetric(gpus, new Date(), this.#rank))
  }

  /**
   * Inserts a record of gpuq between the job's records. It represents no bytes of a stream. It does not count
   * against the job's limit until another worker continues the task, which knows only the total stored size.
   */
  #insert(record: Buffer): void {
    if (this.#ended || this.#failed || this.limitReached || this.signal.aborted) return
    this.#keep(record, this.#encoder.state.consumed)
    this.#storing ??= this.#store()
  }

  /**
   * Stores the rest after both streams have ended. Everything received then counts as recorded, including what the
   * limit dropped, so a worker that repeats this step adds nothing.
   */
  async end(): Promise<void> {
    this.#ended = true
    this.#ending.abort()
    this.#keep(this.#encoder.end(new Date()).bytes, this.#received)
    await this.#storing
    if (this.#failed) throw this.#failed
    while (this.#waitingBytes > 0) await this.#storeBatch()
    traceStep('output stored', this.task.jobId)
  }

  #keep(bytes: Buffer, consumed: Encoded['consumed']): void {
    if (bytes.length === 0) return
    this.#waiting.push({ bytes, consumed })
    this.#waitingBytes += bytes.length
  }

  /** Stores batches until nothing waits: the first immediately, later ones at the minimum interval. */
  async #store(): Promise<void> {
    try {
      do {
        this.#keep(this.#encoder.flush(new Date()).bytes, this.#encoder.state.consumed)
        if (this.#waitingBytes > 0) await this.#storeBatch()
        if (this.#waitingBytes < maxBatchBytes) await sleep(batchIntervalMs, this.#pause)
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
      metrics: this.#encoder.takeMetrics(),
    }
    await retryWrite(this.signal, 'output', () => appendOutput(this.lease, this.task, batch))
    if (this.#start === 0) traceStep('stored', this.task.jobId)
    this.#start += records.length
  }

  /** Returns the next batch, and the total raw bytes represented so far. */
  #takeBatch(): Encoded {
    let size = 0
    let count = 0
    for (const { bytes } of this.#waiting) {
      if (count > 0 && size + bytes.length > maxBatchBytes) break
      size += bytes.length
      count += 1
    }
    const taken = this.#waiting.splice(0, count)
    this.#waitingBytes -= size
    const last = taken.at(-1)
    if (!last) throw new Error('There is no output to store.')
    return { bytes: Buffer.concat(taken.map(({ bytes }) => bytes)), consumed: last.consumed }
  }
}
