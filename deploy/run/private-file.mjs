import { renameSync, writeFileSync } from 'node:fs'

/**
 * Writes a file that only this user can read. Replaces an existing file, so that one with other permissions, such
 * as that of an earlier version, does not keep them, and a reader never sees a partial file.
 * @param {string} path
 * @param {string} content
 */
export function writePrivateFile(path, content) {
  const part = `${path}.${process.pid}.part`
  writeFileSync(part, content, { mode: 0o600 })
  renameSync(part, path)
}
