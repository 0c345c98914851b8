import { unlessAborted } from '@/lib/async/sleep'

/** A caller that waits for work. */
export interface Waiting {
  /** Reports progress. */
  note: (text: string) => void
  signal: AbortSignal
}

interface Running {
  done: Promise<void>
  waiters: Set<Waiting>
  controller: AbortController
}

/** Work that several callers need at the same time: it runs once for all of them. */
export class SharedWork {
  readonly #running = new Map<string, Running>()

  /**
   * Waits for the work with a key, and starts it if it does not run. Its progress is reported to everyone who waits. Its
   * signal is aborted when nobody waits any more.
   * @throws the error of the work, or the reason of the caller's signal.
   */
  async run(key: string, work: (shared: Waiting) => Promise<void>, waiting: Waiting): Promise<void> {
    const running = this.#running.get(key) ?? this.#start(key, work)
    running.waiters.add(waiting)
    try {
      const done = running.done.then(() => true)
      if ((await unlessAborted(done, waiting.signal)) === null) throw waiting.signal.reason
    } finally {
      running.waiters.delete(waiting)
      if (running.waiters.size === 0) this.#end(key, running)
    }
  }

  #start(key: string, work: (shared: Waiting) => Promise<void>): Running {
    const waiters = new Set<Waiting>()
    const controller = new AbortController()
    const note = (text: string) => {
      for (const waiter of waiters) waiter.note(text)
    }
    const done = work({ note, signal: controller.signal })
    const running = { done, waiters, controller }
    this.#running.set(key, running)
    const end = () => this.#end(key, running)
    done.then(end, end)
    return running
  }

  /** Nobody waits any more, or the work has ended. The next caller starts it again. */
  #end(key: string, running: Running): void {
    running.controller.abort()
    if (this.#running.get(key) === running) this.#running.delete(key)
  }
}
