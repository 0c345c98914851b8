import { access, readdir } from 'node:fs/promises'
import { until } from './until'

/** All that lies below a directory, by path; nothing where the directory is not there. */
export function listBelow(directory: string): Promise<string[]> {
  // What is taken away in the middle of a walk ends it: it is begun again.
  return until(`${directory} stands still`, async () => {
    const there = await access(directory).then(
      () => true,
      () => false,
    )
    return there ? readdir(directory, { recursive: true }).catch(() => null) : []
  })
}
