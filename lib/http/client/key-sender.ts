import type { Client } from './client'
import { ProblemError } from './problem'

/** The API's limit for one request. */
const maxRequestBytes = 64 * 1024
/** The limit for input that the program has not read yet. */
const maxPendingBytes = 1024 * 1024
const noKeys = new Uint8Array()

interface KeyPath {
  client: Pick<Client, 'jobs'>
  jobId: string
  rank: number
  sleep(ms: number): Promise<void>
  /** Called when keys were lost, with the error of the server. Without one, too many keys wait to be sent. */
  onLost(error?: unknown): void
}

/**
 * Sends keys to a job in order. One request runs at a time; the next one carries all keys typed meanwhile. A
 * request that may have arrived is not sent again: the user sees a lost key, but a duplicate key may do harm.
 */
export class KeySender {
  #pending: Uint8Array = noKeys
  #sending = false
  #closed = false

  constructor(readonly path: KeyPath) {}

  send(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#closed) return
    if (this.#pending.length + bytes.length > maxPendingBytes) {
      this.path.onLost()
      return
    }
    this.#pending = concat(this.#pending, bytes)
    if (!this.#sending) void this.#run()
  }

  /** Stops sending. */
  close(): void {
    this.#closed = true
    this.#pending = noKeys
  }

  async #run(): Promise<void> {
    this.#sending = true
    while (this.#pending.length > 0 && !this.#closed) {
      const piece = this.#pending.subarray(0, maxRequestBytes)
      const accepted = await this.#sendPiece(piece)
      if (accepted) this.#pending = this.#pending.subarray(piece.length)
    }
    this.#sending = false
  }

  /** Returns false if the server certainly rejected the keys, so that they can be sent again. */
  async #sendPiece(piece: Uint8Array): Promise<boolean> {
    const { client, jobId, rank, sleep, onLost } = this.path
    try {
      await client.jobs.type(jobId, piece, { rank })
      return true
    } catch (error) {
      if (error instanceof ProblemError && error.status === 429) {
        await sleep((error.retryAfter ?? 1) * 1000)
        return false
      }
      onLost(error)
      return true
    }
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
