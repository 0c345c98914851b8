import type { Entry } from '@/lib/contract/archives/archive-manifest'
import { conflict, type GpuqError } from '@/lib/contract/errors'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { isLocalLink, type LocalEntry } from '../directory'
import { runInWebWorker } from '../web-worker/run-in-web-worker'

/** Contents never change: a content that was hashed once is not read again. */
const knownHashes = new WeakMap<Blob, string>()

export interface HashedDirectory {
  entries: Entry[]
  /** A content for each hash, and a path that has it. */
  contents: Map<string, { content: Blob; path: string }>
}

/**
 * Computes the hashes of a directory's files in a web worker.
 * @throws GpuqError if a file cannot be read any more; the reason of `signal`.
 */
export async function hashEntries(
  entries: readonly LocalEntry[],
  onRead: (bytes: number, totalBytes: number) => void,
  signal: AbortSignal,
): Promise<HashedDirectory> {
  const files = entries.flatMap((entry) => (isLocalLink(entry) ? [] : [entry]))
  const unknown = files.filter(({ content }) => !knownHashes.has(content))
  const totalBytes = unknown.reduce((sum, { content }) => sum + content.size, 0)
  let readBytes = 0
  if (unknown.length > 0) {
    const contents = unknown.map(({ content }) => content)
    await runInWebWorker(
      { kind: 'hash', contents },
      (message) => {
        const file = 'index' in message ? unknown[message.index] : undefined
        if (message.kind === 'read') {
          readBytes += message.bytes
          onRead(readBytes, totalBytes)
        } else if (file && message.kind === 'hashed') knownHashes.set(file.content, message.sha256)
        else if (file && message.kind === 'unreadable') throw fileChanged(file.path)
      },
      signal,
    )
  }
  const hashed: HashedDirectory = { entries: [], contents: new Map() }
  for (const entry of entries) {
    if (isLocalLink(entry)) {
      hashed.entries.push({ path: entry.path, target: entry.target })
      continue
    }
    const { path, content, executable } = entry
    const sha256 = knownHashes.get(content)
    if (sha256 === undefined) throw fileChanged(path)
    hashed.entries.push({ path, bytes: content.size, sha256, ...(executable && { executable }) })
    hashed.contents.set(sha256, { content, path })
  }
  return hashed
}

/** The error for a file on the user's disk that is no longer the file that was chosen. */
export function fileChanged(path: string, cause?: unknown): GpuqError {
  return conflict(
    `The browser cannot read ${visibleText(path, 200)}: the file changed or was deleted after you chose it. Drop it again.`,
    { cause },
  )
}
