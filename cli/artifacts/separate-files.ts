import { lstat } from 'node:fs/promises'
import { enterParent, nullIfMissing } from '../received/path-below'

/**
 * The files of one download. Some disks take two names for the same, such as two cases or two forms of a letter: then a file would
 * replace another one. Only the disk knows, so this asks it.
 */
export class SeparateFiles {
  readonly #saved = new Set<string>()

  /** @param root the directory of the download */
  constructor(private readonly root: string) {}

  /** Returns the path, with a mark if it would replace a file that was added. @throws FileProblem as `enterParent` does. */
  async choose(path: string): Promise<string> {
    for (let count = 1; ; count++) {
      const name = count === 1 ? path : `${path}-${count}`
      const target = await enterParent(this.root, name, true)
      const found = target === null ? null : await identify(target)
      if (found === null || !this.#saved.has(found)) return name
    }
  }

  /** @param target a file that was saved */
  async add(target: string): Promise<void> {
    const found = await identify(target)
    if (found !== null) this.#saved.add(found)
  }
}

async function identify(path: string): Promise<string | null> {
  const stats = await lstat(path, { bigint: true }).catch(nullIfMissing)
  return stats && `${stats.dev}:${stats.ino}`
}
