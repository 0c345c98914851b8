import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Somebody who writes is given the time to finish: a look in the middle would only come again. */
const settleMs = 100

/** Rings when one of some files changes, and whoever waits for it wakes. The time is the safety net under it. */
export class FileChangeSignal {
  #rung = false
  #wake: (() => void) | null = null
  readonly #watchers: FSWatcher[] = []

  /**
   * Directories are watched, not files: a file that another one is renamed onto is another file. Where there is nothing
   * to watch, as on some network disks, the time alone wakes.
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
        // The directory is not there, or the system has no more watches to give.
      }
    }
  }

  notify(): void {
    this.#rung = true
    this.#wake?.()
  }

  /** Resolves when it rings, after `ms`, or when `signal` is aborted. One that rang before rings still. */
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

/** Waits; an aborted signal ends it at once. */
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
