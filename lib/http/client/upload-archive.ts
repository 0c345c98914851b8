import { backoff } from '../../async/backoff'
import { inParallel } from '../../async/pool'
import { contentsOf, type Entry, type FileEntry, isLink } from '../../contract/archives/archive-manifest'
import { unavailable } from '../../contract/errors'
import type { Client } from './client'
import { ProblemError } from './problem'

/** How many failures in a row without progress end the upload. */
const defaultMaxFailures = 8
const firstDelayMs = 500
const longestDelayMs = 10_000
const neverComplete = 'The server keeps requesting the same files. Contact an admin.'

/** Files up to this size share a request. Each larger file has its own request. */
export const smallBytes = 4 * 1024 * 1024
const batchBytes = 16 * 1024 * 1024
const batchFiles = 1_000
const requestsAtOnce = 4

export interface ArchiveUpload {
  client: Pick<Client, 'archives'>
  projectId: string
  entries: readonly Entry[]
  /**
   * Sends the contents of these files, of `bytes` in total. Contents that arrived before a failure are kept.
   * @throws ProblemError
   */
  send: (files: readonly FileEntry[], bytes: number) => Promise<void>
  /** Waits before the next attempt. @throws to give up. */
  wait: (error: ProblemError, delayMs: number) => Promise<void>
  maxFailures?: number
  signal?: AbortSignal
}

/**
 * Uploads a directory to a project, and returns the reference for the `archive` key of a config. It sends only content that
 * the server asks for. After a failure, and in a later call, it resumes with the missing content.
 * @throws ProblemError if the server refuses the directory or does not answer; the reason of `signal`.
 */
export async function uploadArchive(upload: ArchiveUpload): Promise<{ archive: string; sentBytes: number }> {
  const { client, projectId, entries, signal, maxFailures = defaultMaxFailures } = upload
  const sizes = contentsOf(entries)
  let failures = 0
  let interrupted = false
  let left = Number.POSITIVE_INFINITY
  let sentBytes: number | undefined
  for (;;) {
    try {
      const state = await client.archives.register({ project_id: projectId, entries: [...entries] }, signal)
      const missingBytes = state.missing.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0)
      sentBytes ??= missingBytes
      if (state.missing.length === 0) return { archive: state.archive, sentBytes }
      // Progress resets the count, so that an upload over a bad connection still finishes.
      if (state.missing.length < left) failures = 0
      else if (!interrupted && ++failures > maxFailures) throw unavailable(neverComplete)
      interrupted = false
      left = state.missing.length
      await upload.send(selectFiles(entries, state.missing), missingBytes)
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof ProblemError) || !canRetry(error) || ++failures > maxFailures) throw error
      interrupted = true
      const delayMs = backoff(failures, firstDelayMs, longestDelayMs)
      await upload.wait(error, Math.max(delayMs, (error.retryAfter ?? 0) * 1000))
    }
  }
}

/** Status 400 means that the body broke off on its way: the requests are well formed. */
function canRetry(error: ProblemError): boolean {
  return error.isTemporary || error.status === 400
}

/** One file for each content, however many files have it. */
function selectFiles(entries: readonly Entry[], hashes: readonly string[]): FileEntry[] {
  const wanted = new Set(hashes)
  return entries.flatMap((entry) => (!isLink(entry) && wanted.delete(entry.sha256) ? [entry] : []))
}

/** Sends files in groups, several groups at the same time. `send` sends the contents of one group in one request. */
export function sendInBatches(
  files: readonly FileEntry[],
  send: (batch: readonly FileEntry[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  return inParallel(toBatches(files), requestsAtOnce, send, signal)
}

/** Groups small files. Large files stay alone. */
function toBatches(files: readonly FileEntry[]): FileEntry[][] {
  const batches: FileEntry[][] = []
  let open: FileEntry[] = []
  let bytes = 0
  for (const file of files) {
    if (file.bytes > smallBytes) batches.push([file])
    else {
      if (open.length > 0 && (bytes + file.bytes > batchBytes || open.length === batchFiles)) {
        batches.push(open)
        open = []
        bytes = 0
      }
      open.push(file)
      bytes += file.bytes
    }
  }
  return open.length > 0 ? [...batches, open] : batches
}
