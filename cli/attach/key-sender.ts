import type { Client } from '@/lib/http/client/client'
import { ProblemError } from '@/lib/http/client/problem'

/** Most that is sent at once, as the API takes it. */
const mostBytes = 64 * 1024
/** Most that waits for a program that does not read. */
const mostWaiting = 1024 * 1024

interface KeyPath {
  client: Pick<Client, 'jobs'>
  jobId: string
  rank: number
  sleep(ms: number): Promise<void>
  /** Tells the person that a key was lost. */
  lost(): void
}

/**
 * Sends keys to a job, in order: one request at a time, and what is typed meanwhile in the next one. What may have
 * arrived is not sent again: a key that is lost shows, and one that is typed twice may do harm.
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

  /** Sends nothing more. */
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

  /** False where it is to be sent again, because it was surely not taken. */
  async #sendPiece(piece: Buffer): Promise<boolean> {
    const { client, jobId, rank, sleep, lost } = this.path
    try {
      await client.jobs.type(jobId, piece, { rank })
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
