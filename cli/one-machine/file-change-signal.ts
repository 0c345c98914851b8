import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { ChangeSignal } from '@/lib/async/change-signal'
import { sleep } from '@/lib/async/sleep'

/** How long a program that writes a file may take to finish. An earlier check would have to be repeated. */
const settleMs = 100

/** Wakes a loop when one of some files changes. */
export class FileChangeSignal {
  readonly #change: ChangeSignal
  readonly #watchers: FSWatcher[] = []

  /**
   * Watches the directories instead of the files, because a file that is replaced by a rename is a new file. A
   * directory that cannot be watched, as on some network disks, causes no notifications: only the time wakes.
   */
  constructor(
    paths: readonly string[],
    readonly signal: AbortSignal,
  ) {
    this.#change = new ChangeSignal(signal)
    for (const directory of new Set(paths.map(dirname))) {
      const names = new Set(paths.filter((path) => dirname(path) === directory).map((path) => basename(path)))
      try {
        const watcher = watch(directory, (_event, name) => {
          if (name === null || names.has(name)) this.#change.notify()
        })
        watcher.on('error', () => watcher.close())
        this.#watchers.push(watcher)
      } catch {
        // The directory does not exist, or the system allows no more watches.
      }
    }
  }

  /** Wakes the loop as a change does. */
  notify(): void {
    this.#change.notify()
  }

  /** Resolves after a change, after `ms`, or when the signal is aborted. A change before the call counts. */
  async wait(ms: number): Promise<void> {
    if (this.signal.aborted) return
    if (!(await this.#change.wait(ms))) return
    await sleep(settleMs, this.signal)
    // The caller's next check also covers the changes of this time.
    await this.#change.wait(0)
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close()
  }
}
