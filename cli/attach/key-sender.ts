import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'

/** The API's limit for one request. */
const mostBytes = 64 * 1024
/** The limit for input that the program has not read yet. */
const mostWaiting = 1024 * 1024

export interface KeyPath {
  client: Pick<Client, 'jobs'>
  jobId: string
  rank: number
  sleep(ms: number): Promise<void>
  /** Called when keys were lost. */
  lost(): void
}

/**
 * Sends keys to a job in order. One request runs at a time; the next one carries all keys typed meanwhile. A
 * request that may have arrived is not sent again: the user sees a lost key, but a duplicate key may do harm.
 */
export class KeySender {
  #waiting: Buffer = Buffer.alloc(0)
  #sending = false
  #closed = false

  constructor(readonly path: KeyPath) {}

  send(bytes: Buffer): void {
    if (bytes.length === 0 || this.#closed) return
    if (this.#waiting.length + bytes.length > mostWaiting) {
      this.path.lost()
      return
    }
    this.#waiting = Buffer.concat([this.#waiting, bytes])
    if (!this.#sending) void this.#run()
  }

  /** Stops sending. */
  close(): void {
    this.#closed = true
    this.#waiting = Buffer.alloc(0)
  }

  async #run(): Promise<void> {
    this.#sending = true
    while (this.#waiting.length > 0 && !this.#closed) {
      const piece = this.#waiting.subarray(0, mostBytes)
      const taken = await this.#sendPiece(piece)
      if (taken) this.#waiting = this.#waiting.subarray(piece.length)
    }
    this.#sending = false
  }

  /** Returns false if the server certainly rejected the keys, so that they can be sent again. */
  async #sendPiece(piece: Buffer): Promise<boolean> {
    const { client, jobId, rank, sleep, lost } = this.path
    try {
      await client.jobs.type(jobId, piece, rank)
      return true
    } catch (error) {
      if (error instanceof ProblemError && error.status === 429) {
        await sleep((error.retryAfter ?? 1) * 1000)
        return false
      }
      lost()
      return true
    }
  }
}
