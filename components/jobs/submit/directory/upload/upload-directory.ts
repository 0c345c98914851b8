import { api } from '@/components/queries/queries'
import { frameHeader } from '@/lib/contract/archives/archive-frames'
import { type FileEntry, findMistakes } from '@/lib/contract/archives/archive-manifest'
import { invalidRequest } from '@/lib/contract/errors'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { createBrowserClient } from '@/lib/http/client/browser-client'
import { ProblemError } from '@/lib/http/client/problem'
import { sendInBatches, uploadArchive } from '@/lib/http/client/upload-archive'
import type { LocalEntry } from '../directory'
import { fetchWithProgress } from './fetch-with-progress'
import { fileChanged, type HashedDirectory, hashEntries } from './hash-entries'

/** A computer may be without a connection for a few minutes. */
const maxFailures = 30

export interface UploadProgress {
  /** `waiting`: the connection is broken or the server is busy, and the upload continues in a moment. */
  phase: 'reading' | 'sending' | 'waiting'
  doneBytes: number
  totalBytes: number
  /** The server's reason to wait; null: it does not wait, or the connection is broken. */
  problem: string | null
}

interface Upload {
  projectId: string
  entries: readonly LocalEntry[]
  onProgress: (progress: UploadProgress) => void
  signal: AbortSignal
}

/**
 * Uploads a directory to a project, and returns the reference for the key `archive` of a config. Sends only what the project
 * does not have. Continues after a broken connection.
 * @throws GpuqError or ProblemError with a sentence for the user; the reason of `signal`.
 */
export async function uploadDirectory({ projectId, entries, onProgress, signal }: Upload): Promise<string> {
  const report = (phase: UploadProgress['phase'], doneBytes: number, totalBytes: number) =>
    onProgress({ phase, doneBytes, totalBytes, problem: null })
  report('reading', 0, 0)
  const hashed = await hashEntries(entries, (done, total) => report('reading', done, total), signal)
  const [mistake] = findMistakes(hashed.entries)
  if (mistake) {
    const path = visibleText(hashed.entries[mistake.index]?.path ?? '', 200)
    throw invalidRequest(`The path ${path} ${mistake.message}. Rename or remove the file.`)
  }
  let totalBytes = 0
  let doneBytes = 0
  const { archive } = await uploadArchive({
    client: api,
    projectId,
    entries: hashed.entries,
    maxFailures,
    signal,
    send: async (files, missingBytes) => {
      totalBytes = Math.max(totalBytes, missingBytes)
      const stored = totalBytes - missingBytes
      const sent = new Map<readonly FileEntry[], number>()
      const update = () => {
        doneBytes = stored + [...sent.values()].reduce((sum, bytes) => sum + bytes, 0)
        report('sending', Math.min(doneBytes, totalBytes), totalBytes)
      }
      update()
      const send = (batch: readonly FileEntry[]) =>
        sendBatch(projectId, hashed, batch, signal, (bytes) => {
          sent.set(batch, bytes)
          update()
        })
      await sendInBatches(files, send, signal)
    },
    wait: async ({ message, status }, delayMs) => {
      const isBroken = status === 0 || status === 400
      onProgress({ phase: 'waiting', doneBytes, totalBytes, problem: isBroken ? null : message })
      await waitForConnection(delayMs, signal)
    },
  })
  return archive
}

/** Sends the contents of some files in one request. */
async function sendBatch(
  projectId: string,
  { contents }: HashedDirectory,
  batch: readonly FileEntry[],
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<void> {
  const found = batch.flatMap((file) => {
    const known = contents.get(file.sha256)
    return known ? [{ ...file, ...known }] : []
  })
  // A blob of blobs: the browser reads the files while it sends them.
  const body = new Blob(found.flatMap(({ sha256, bytes, content }) => [frameHeader(sha256, bytes), content]))
  const client = createBrowserClient({ fetch: fetchWithProgress(onSent) })
  try {
    await client.archives.send(body, { project_id: projectId }, signal)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    // A file that changed breaks the request as a lost connection does.
    for (const { path, content } of found) {
      if (error.status === 0 && !(await isReadable(content))) throw fileChanged(path, error)
    }
    const changed = found.find(({ sha256 }) => error.messageFor(sha256) !== undefined)
    throw changed ? fileChanged(changed.path, error) : error
  }
}

async function isReadable(content: Blob): Promise<boolean> {
  return content
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    )
}

/** Ends early if the browser is online again. @throws the reason of `signal` */
function waitForConnection(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => () => {
      clearTimeout(timer)
      removeEventListener('online', goOn)
      signal.removeEventListener('abort', stop)
      settle()
    }
    const goOn = end(resolve)
    const stop = end(() => reject(signal.reason))
    const timer = setTimeout(goOn, delayMs)
    addEventListener('online', goOn)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
}
