import { ByteCache, type Sized } from '../async/byte-cache'
import { plainText } from '../jobs/downloads/download'
import { collectOutput } from '../results/decode'
import type { OutputReader } from '../results/reading/output-reader'
import { countRanks, readOutput } from '../results/reading/read-output'
import { startReading } from '../results/reading/reading-slots'

/** What the page of a link shows of what a job printed. */
export interface SharedOutput {
  /** The beginning, without the rest of a line that is cut. */
  output: string
  /** The output is longer, and can be downloaded. */
  outputCut: boolean
  /** The JSON of each result, as it was printed. */
  results: readonly string[]
}

/** The last attempt of a job. */
interface Attempt {
  id: string
  attempt: number
}

/** Browsers need seconds to lay out more. The download has everything. */
const maxOutputBytes = 256 * 1024
const maxResultBytes = 1024 * 1024
/** Results of a running job are searched in this much of its output. The page shows later ones as it follows the job. */
const runningBytes = 1024 * 1024
const maxCachedBytes = 64 * 1024 * 1024

// Next.js loads modules again for each route bundle; the cache is kept once per process.
const shared = globalThis as typeof globalThis & { gpuqSharedOutput?: ByteCache<SharedOutput> }
shared.gpuqSharedOutput ??= new ByteCache<SharedOutput>(maxCachedBytes)
const cache = shared.gpuqSharedOutput

const keyOf = ({ id, attempt }: Attempt) => `${id}/${attempt}`

/** Whether {@link endedOutput} needs no reading. */
export const isCached = (job: Attempt): boolean => cache.has(keyOf(job))

/**
 * The output of a job that has ended. It does not change any more, so it is read once for many views. The caller checks each time
 * that it was not deleted.
 */
export function endedOutput(reader: OutputReader, job: Attempt): Promise<SharedOutput> {
  return cache.get(keyOf(job), () => readShared(reader, job))
}

/** The output so far of a job that has not ended. */
export async function runningOutput(reader: OutputReader, job: Attempt): Promise<SharedOutput> {
  return (await readShared(reader, job, runningBytes)).value
}

async function readShared(
  reader: OutputReader,
  job: Attempt,
  searchedBytes?: number,
): Promise<Sized<SharedOutput>> {
  const release = await startReading(reader, job.id)
  try {
    const { text, cut } = await readBeginning(plainText(reader, job, await countRanks(job.id, job.attempt)))
    const output = readOutput(reader, job.id, job.attempt, 0)
    const searched = searchedBytes === undefined ? output : firstRecords(output, searchedBytes)
    const { results } = await collectOutput(searched, { maxBytes: maxResultBytes })
    const bytes = 2 * results.reduce((sum, { length }) => sum + length, text.length)
    return { value: { output: text, outputCut: cut, results }, bytes }
  } finally {
    release?.()
  }
}

/** The whole records among the first `bytes`, and those that end in the piece that has the last one of these. */
async function* firstRecords(source: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes
  // The pieces of a record whose end has not arrived. It may never arrive: a running job has not stored all of its output.
  let begun: Buffer[] = []
  for await (const piece of source) {
    left -= piece.length
    const end = piece.lastIndexOf(0x0a) + 1
    if (end > 0) {
      yield* begun
      yield piece.subarray(0, end)
      begun = []
    }
    if (left < 0) return
    if (end < piece.length) begun.push(piece.subarray(end))
  }
}

async function readBeginning(chunks: AsyncIterable<Buffer>): Promise<{ text: string; cut: boolean }> {
  const kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    kept.push(chunk)
    bytes += chunk.length
    if (bytes > maxOutputBytes) break
  }
  const all = Buffer.concat(kept)
  if (all.length <= maxOutputBytes) return { text: all.toString(), cut: false }
  // At a line's end, or the first bytes of a character would be left.
  const end = all.lastIndexOf('\n', maxOutputBytes - 1) + 1
  return { text: all.subarray(0, end || maxOutputBytes).toString(), cut: true }
}
