import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that writes gets this long to finish: a look in between would only be repeated. */
const settleMs = 100

/** Wakes a loop when one of some files changes. Where a change is missed, the loop wakes after a time. */
export class FileChangeSignal {
  /** Aborted by a change, and replaced once a wait has returned. */
  #change = new AbortController()
  readonly #watchers: FSWatcher[] = []
  readonly #notify = () => this.#change.abort()

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
          if (name === null || names.has(name)) this.#notify()
        })
        watcher.on('error', () => watcher.close())
        this.#watchers.push(watcher)
      } catch {
        // The directory is not there, or the system has no more watches to give.
      }
    }
  }

  /** Resolves after a change, after `ms`, or when `signal` is aborted. A change before the call counts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    signal.addEventListener('abort', this.#notify, { once: true })
    await sleepUntil(ms, this.#change.signal)
    if (!this.#change.signal.aborted) return
    await sleepUntil(settleMs, signal)
    this.#change = new AbortController()
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close()
  }
}

async function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
