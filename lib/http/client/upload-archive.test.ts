import { expect, it } from 'vitest'
import type { FileEntry } from '../../contract/archives/archive-manifest'
import { ProblemError } from './problem'
import { sendInBatches, uploadArchive } from './upload-archive'

const hashOf = (index: number) => index.toString(16).padStart(64, '0')
const file = (index: number, bytes = 10): FileEntry => ({ path: `f${index}`, bytes, sha256: hashOf(index) })
const broken = () => new ProblemError({ status: 0, code: 'unreachable', detail: 'gpuq did not answer.' })

/** A server that has some contents, and an upload to it. */
function prepare(entries: FileEntry[], has: number[] = []) {
  const stored = new Set(has.map(hashOf))
  const sent: string[][] = []
  const waits: number[] = []
  const register = async () => ({
    archive: 'the-archive',
    missing: [...new Set(entries.map(({ sha256 }) => sha256))].filter((hash) => !stored.has(hash)),
  })
  const store = (files: readonly FileEntry[]) => {
    sent.push(files.map(({ path }) => path))
    for (const { sha256 } of files) stored.add(sha256)
  }
  const client = { archives: { register, limits: () => Promise.reject(), send: () => Promise.reject() } }
  const wait = async (_error: ProblemError, delayMs: number) => void waits.push(delayMs)
  return { upload: { client: client as never, projectId: 'p', entries, wait }, sent, store, waits }
}

it('sends each content once, and only what is missing', async () => {
  const entries = [file(1), file(2), { ...file(2), path: 'copy' }, file(3)]
  const { upload, sent, store } = prepare(entries, [3])
  const result = await uploadArchive({ ...upload, send: async (files) => store(files) })
  expect(result).toEqual({ archive: 'the-archive', sentBytes: 20 })
  expect(sent).toEqual([['f1', 'f2']])
})

it('resumes with the missing contents, and waits longer after each failure without progress', async () => {
  const { upload, sent, store, waits } = prepare([file(1), file(2)])
  let attempt = 0
  const { sentBytes } = await uploadArchive({
    ...upload,
    send: async (files, bytes) => {
      attempt++
      expect(bytes).toBe(files.length * 10)
      if (attempt === 1) store(files.slice(0, 1))
      if (attempt <= 3) throw broken()
      store(files)
    },
  })
  expect(sentBytes).toBe(20)
  expect(sent).toEqual([['f1'], ['f2']])
  expect(waits).toEqual([500, 500, 1000])
})

it('gives up after a number of failures in a row', async () => {
  const { upload, waits } = prepare([file(1)])
  const send = () => Promise.reject(broken())
  await expect(uploadArchive({ ...upload, send, maxFailures: 3 })).rejects.toThrow('did not answer')
  expect(waits).toHaveLength(3)
})

it('does not repeat what the server refuses, and stops when it is cancelled', async () => {
  const { upload, waits } = prepare([file(1)])
  const refused = new ProblemError({ status: 403, code: 'forbidden', detail: 'over the quota' })
  await expect(uploadArchive({ ...upload, send: () => Promise.reject(refused) })).rejects.toBe(refused)
  const cancelled = new AbortController()
  const send = async () => {
    cancelled.abort(new Error('cancelled'))
    throw broken()
  }
  await expect(uploadArchive({ ...upload, send, signal: cancelled.signal })).rejects.toThrow('cancelled')
  expect(waits).toEqual([])
})

it('groups small files, and sends each large file alone', async () => {
  const MiB = 1024 * 1024
  const files = [
    file(1, 3 * MiB),
    file(2, 5 * MiB),
    ...Array.from({ length: 6 }, (_, i) => file(10 + i, 3 * MiB)),
  ]
  const batches: string[][] = []
  await sendInBatches(files, async (batch) => void batches.push(batch.map(({ path }) => path)))
  expect(batches.toSorted((a, b) => a.length - b.length)).toEqual([
    ['f2'],
    ['f14', 'f15'],
    ['f1', 'f10', 'f11', 'f12', 'f13'],
  ])
})
