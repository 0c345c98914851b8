import { open } from 'node:fs/promises'
import { errorCode } from '../files'

export type FileSnapshot =
  | { kind: 'read'; bytes: Buffer; version: string }
  | { kind: 'missing' }
  | { kind: 'unreadable'; message: string }

const maxBytes = 16 * 1024 * 1024
const maxTries = 5

/**
 * Reads a file that other programs may be writing. Opens it once, so that a rename during the read has no
 * effect, and reads again if it changed meanwhile. `version` changes whenever the content may have changed.
 */
export async function readFileSnapshot(path: string): Promise<FileSnapshot> {
  try {
    const file = await open(path)
    try {
      for (let tries = 1; ; tries++) {
        const before = await file.stat({ bigint: true })
        if (!before.isFile()) return { kind: 'unreadable', message: 'it is not a file' }
        if (before.size > maxBytes) return { kind: 'unreadable', message: 'it is larger than 16 MiB' }
        const bytes = Buffer.alloc(Number(before.size))
        const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
        const after = await file.stat({ bigint: true })
        const steady = before.mtimeNs === after.mtimeNs && before.size === after.size
        // Even an interrupted read consists of complete lines and one incomplete line.
        if (steady || tries === maxTries) {
          const version = `${after.ino} ${after.size} ${after.mtimeNs}`
          return { kind: 'read', bytes: bytes.subarray(0, bytesRead), version }
        }
      }
    } finally {
      await file.close()
    }
  } catch (error) {
    const code = errorCode(error)
    return code === 'ENOENT' ? { kind: 'missing' } : { kind: 'unreadable', message: code }
  }
}
