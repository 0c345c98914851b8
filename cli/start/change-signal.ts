import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** A program may still be writing. Waiting a moment avoids reading an incomplete file. */
const settleMs = 100

/** Notifies waiters when one of the files changes. A timeout covers missed changes. */
export class FileChangeSignal {
  #rung = false
  #wake: (() => void) | null = null
  readonly #watchers: FSWatcher[] = []

  /**
   * Watches directories instead of files, because a rename replaces the watched file. Where watching does not
   * work, as on some network disks, only the timeout applies.
   */
  constructor(paths: readonly string[]) {
    const directories = new Set(paths.map((path) => dirname(path)))
    for (const directory of directories) {
      const names = new Set(paths.filter((path) => dirname(path) === directory).map((path) => basename(path)))
      try {
        const watcher = watch(directory, (_event, name) => {
          if (name === null || names.has(name)) this.notify()
        })
        watcher.on('error', () => watcher.close())
        this.#watchers.push(watcher)
      } catch {
        // The directory does not exist, or the system has no more watches.
      }
    }
  }

  notify(): void {
    this.#rung = true
    this.#wake?.()
  }

  /**
   * Resolves after a change, after `ms`, or when `signal` is aborted. A change before the call also counts.
   */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) await this.#sleep(ms, signal)
    if (this.#rung && !signal.aborted) await pause(settleMs, signal)
    this.#rung = false
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close()
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#wake = null
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done, { once: true })
      this.#wake = done
    })
  }
}

/** Waits. An aborted signal ends the wait immediately. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
