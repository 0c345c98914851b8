import { readdir } from 'node:fs/promises'
import { errorCode } from '@/lib/contract/error-code'

/** Returns the names in a directory; none if there is no such directory. */
export async function listDirectory(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
