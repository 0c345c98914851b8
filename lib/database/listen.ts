import { EventEmitter } from 'node:events'
import pg from 'pg'
import { retry } from '../async/retry'
import { logger } from '../logger'
import { database } from './client'

/**
 * Channels on which the processes notify each other. Notifications only save time: each process also polls, because a
 * notification can be lost.
 */
export const channels = {
  /** A job changed. The payload is its id. */
  job: 'gpuq_job',
  /** A task has new output. The payload is the id of its job. */
  output: 'gpuq_output',
  /** Work for the leader: something was submitted, ended or freed. */
  queue: 'gpuq_queue',
  /** Work for one node. The payload is its id. */
  node: 'gpuq_node',
  /** A task's terminal has input or another size. The payload is the task's id. */
  terminal: 'gpuq_terminal',
} as const

type Channel = keyof typeof channels

/** The one listening connection of a process. It is opened again if it breaks. */
class Listener {
  readonly #events = new EventEmitter({ captureRejections: false }).setMaxListeners(0)
  #client: pg.Client | undefined
  readonly #closing = new AbortController()
  #connecting: Promise<void> | undefined

  /**
   * Calls `onNotify` for each payload on a channel and, with `null`, whenever notifications may have been missed.
   * Resolves when it is listening; returns a function that stops it.
   */
  async listen(channel: Channel, onNotify: (payload: string | null) => void): Promise<() => void> {
    this.#events.on(channel, onNotify)
    this.#connecting ??= this.#connect()
    await this.#connecting
    return () => this.#events.off(channel, onNotify)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const { signal } = this.#closing
    const open = async () => {
      if (!signal.aborted) await this.#open()
    }
    const onFailure = (error: unknown) =>
      logger.warn({ err: error }, 'cannot listen to the database, trying again')
    await retry(open, { firstMs: 100, longestMs: 2_000, signal, onFailure })
  }

  async #open(): Promise<void> {
    const client = new pg.Client({
      connectionString: database().url,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    })
    client.on('notification', ({ channel, payload }) => {
      const name = (Object.keys(channels) as Channel[]).find((key) => channels[key] === channel)
      if (name) this.#events.emit(name, payload ?? '')
    })
    let lost = false
    const onLost = () => {
      if (lost) return
      lost = true
      if (!this.#closing.signal.aborted) this.#connecting = this.#connect().then(() => this.#notifyAll())
    }
    client.on('error', onLost)
    await client.connect()
    client.on('end', onLost)
    for (const channel of Object.values(channels)) await client.query(`LISTEN ${channel}`)
    this.#client = client
  }

  #notifyAll(): void {
    for (const channel of Object.keys(channels)) this.#events.emit(channel, null)
  }
}

const shared = globalThis as typeof globalThis & { gpuqListener?: Listener | undefined }

/** This process's listener. */
export function listener(): Listener {
  shared.gpuqListener ??= new Listener()
  return shared.gpuqListener
}

/** Closes this process's listener; the next use opens a new one. */
export async function closeListener(): Promise<void> {
  await shared.gpuqListener?.close()
  shared.gpuqListener = undefined
}
