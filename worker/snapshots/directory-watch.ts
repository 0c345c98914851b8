import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The system limits the watches of a user. A tree with more directories than this is not watched. */
const mostDirectories = 4_096

/** Notices every change to the files of a directory, and of the directories below it. */
export class DirectoryWatch {
  readonly #watchers: FSWatcher[] = []
  #isUnchanged = true

  private constructor() {}

  /**
   * Begins to watch.
   * @param directories paths relative to `root`, which is the empty path.
   * @returns null if the system cannot watch so many directories, or one of them is missing.
   */
  static open(root: string, directories: readonly string[]): DirectoryWatch | null {
    if (directories.length > mostDirectories) return null
    const opened = new DirectoryWatch()
    const changed = () => opened.close()
    try {
      for (const path of directories) {
        // Without it, a worker that ends would wait for changes.
        const watcher = watch(join(root, path), { persistent: false }, changed)
        opened.#watchers.push(watcher.on('error', changed))
      }
      return opened
    } catch {
      opened.close()
      return null
    }
  }

  /** Whether nothing has changed since it was opened. */
  async isUnchanged(): Promise<boolean> {
    // Changes that the system has already noticed are reported before the next turn.
    if (this.#isUnchanged) await nextTurn()
    return this.#isUnchanged
  }

  close(): void {
    this.#isUnchanged = false
    for (const watcher of this.#watchers.splice(0)) watcher.close()
  }
}
