import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { ArchiveToUnpack, UnpackedArchive } from '../read/unpack-archive'

/** What the page requests of its web worker. */
export type FileRequest = { kind: 'hash'; contents: readonly Blob[] } | ({ kind: 'unpack' } & ArchiveToUnpack)

export type FileMessage =
  | { kind: 'read'; bytes: number }
  | { kind: 'hashed'; index: number; sha256: string }
  /** The content with this index changed or was deleted since the user chose it. */
  | { kind: 'unreadable'; index: number }
  | ({ kind: 'unpacked' } & UnpackedArchive)
  | { kind: 'done' }
  | { kind: 'failed'; message: string }

/** Hashes or unpacks files, and reports each result. The last message is `done`, `unreadable` or `failed`. */
export async function processFiles(
  request: FileRequest,
  report: (message: FileMessage) => void,
): Promise<void> {
  try {
    if (request.kind === 'unpack') {
      // Loaded on use: it is large, and most requests only hash.
      const { unpackArchive } = await import('../read/unpack-archive')
      report({ kind: 'unpacked', ...(await unpackArchive(request)) })
    } else if (!(await hashAll(request.contents, report))) return
    report({ kind: 'done' })
  } catch (error) {
    report({ kind: 'failed', message: error instanceof Error ? error.message : visibleText(`${error}`, 200) })
  }
}

/** False if a content could not be read. */
async function hashAll(contents: readonly Blob[], report: (message: FileMessage) => void): Promise<boolean> {
  for (const [index, content] of contents.entries()) {
    const hash = await hashContent(content, (bytes) => report({ kind: 'read', bytes })).catch(() => null)
    if (hash === null) {
      report({ kind: 'unreadable', index })
      return false
    }
    report({ kind: 'hashed', index, sha256: hash })
  }
  return true
}

/** Not `crypto.subtle`: browsers offer it only over HTTPS, and it needs the whole content in memory. */
async function hashContent(content: Blob, onRead: (bytes: number) => void): Promise<string> {
  const hash = sha256.create()
  const reader = content.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytesToHex(hash.digest())
    hash.update(value)
    onRead(value.length)
  }
}
