import type { Actor } from '../access/actor'
import { isFinal } from '../contract/status'
import { findVisibleJob } from '../jobs/read/job-visibility'
import { readLastLines } from '../jobs/read/read-last-lines'
import { plainTextOf } from '../results/decode'
import { readLines } from '../results/lines'
import { OutputReader } from '../results/reading/output-reader'
import { readOutput } from '../results/reading/read-output'
import { startReading } from '../results/reading/reading-slots'
import { ErrorLines } from './error-lines'
import { LineMatcher } from './line-matcher'
import { requireRank } from './read-log'

interface LogSearch {
  /** Keeps only the last lines that are found. */
  tail: number | undefined
  /** A regular expression, which ignores upper and lower case. */
  search: string | undefined
  /** Keeps only lines that look like errors, and tracebacks. */
  errorsOnly: boolean
  /** Maximum bytes to return. */
  limit: number
  rank: number
}

export interface FoundLines {
  text: string
  /** How many lines were found but not returned, because there is no space for them or only the last ones are wanted. */
  leftOut: number
  /** True if the job has ended, so that nothing more will be found. */
  ended: boolean
  attempt: number
}

/** What searches a line takes time that grows faster than its length. */
const longestLine = 2_000
const bytesPerBatch = 256 * 1024

/**
 * Finds lines of a job's output. Those that match begin with the offset at which they are in the output.
 * @throws 422 for an expression that is wrong or takes too long
 */
export async function searchLog(
  actor: Actor,
  jobId: string,
  { tail, search, errorsOnly, limit, rank }: LogSearch,
  signal: AbortSignal,
): Promise<FoundLines> {
  // Read before the output, because the final status is written after the last output.
  const job = await findVisibleJob(actor, jobId)
  if (rank > 0) await requireRank(job, rank)
  const reader = new OutputReader(actor.userId, signal)
  const about = { ended: isFinal(job.status), attempt: job.attempt }
  const found = new KeptLines(tail, limit)
  if (search === undefined && !errorsOnly) {
    const ranks = await readLastLines(reader, job.id, job.attempt)
    for (const { text } of ranks.find((one) => one.rank === rank)?.lines ?? [])
      found.add(text.slice(0, longestLine))
    return { ...found.kept, ...about }
  }
  const matcher = search === undefined ? null : LineMatcher.start(actor.userId, search)
  const release = await startReading(reader, job.id).catch(async (error: unknown) => {
    await matcher?.close()
    throw error
  })
  try {
    const errors = errorsOnly ? new ErrorLines() : null
    for await (const batch of readBatches(readOutput(reader, job.id, job.attempt, 0, rank))) {
      const wanted = errors ? batch.filter(({ text }) => errors.isError(text)) : batch
      const matches = await matcher?.match(wanted.map(({ text }) => text))
      for (const [at, { offset, text }] of wanted.entries())
        if (matches?.[at] ?? true) found.add(`${offset}: ${text}`)
    }
    return { ...found.kept, ...about }
  } finally {
    release?.()
    await matcher?.close()
  }
}

/** The first lines, or with `tail` the last ones, that have space. */
class KeptLines {
  #lines: string[] = []
  #count = 0
  #bytes = 0

  constructor(
    readonly tail: number | undefined,
    readonly limit: number,
  ) {}

  add(line: string): void {
    this.#count++
    if (this.tail === undefined) {
      if (this.#bytes <= this.limit) this.#bytes += sizeOf(line)
      if (this.#bytes <= this.limit) this.#lines.push(line)
      return
    }
    this.#lines.push(line)
    if (this.#lines.length > this.tail) this.#lines.shift()
  }

  get kept(): Pick<FoundLines, 'text' | 'leftOut'> {
    let left = this.limit
    const fits = (line: string) => {
      left -= sizeOf(line)
      return left < 0
    }
    const first = this.tail === undefined ? 0 : this.#lines.findLastIndex(fits) + 1
    const lines = this.#lines.slice(first)
    return { text: lines.map((line) => `${line}\n`).join(''), leftOut: this.#count - lines.length }
  }
}

const sizeOf = (line: string) => Buffer.byteLength(line) + 1

interface Line {
  /** In bytes of the output. */
  offset: number
  text: string
}

/** Reads the lines of an output as it was printed, many at a time. */
async function* readBatches(records: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let batch: Line[] = []
  let bytes = 0
  let offset = 0
  // A line that has not ended is kept only as far as it is searched: a program may print gigabytes without a newline.
  let begun = ''
  let begunBytes = 0
  const add = (text: string) => {
    begun += text.slice(0, longestLine - begun.length)
    begunBytes += Buffer.byteLength(text)
  }
  const end = (newlineBytes: number) => {
    const length = begunBytes + newlineBytes
    batch.push({ offset, text: begun })
    bytes += length
    offset += length
    begun = ''
    begunBytes = 0
  }
  for await (const group of readLines(records)) {
    for (const record of group) {
      const [first = '', ...rest] = plainTextOf(record).split('\n')
      add(first)
      for (const text of rest) {
        end(1)
        add(text)
      }
    }
    if (bytes < bytesPerBatch) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (begunBytes > 0) end(0)
  if (batch.length > 0) yield batch
}
