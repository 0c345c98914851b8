import type { Actor } from '../access/actor'
import { invalidField } from '../contract/errors'
import { isFinal } from '../contract/status'
import { findVisibleJob, type VisibleJob } from '../jobs/read/job-visibility'
import { plainTextOf } from '../results/decode'
import { readLines } from '../results/lines'
import { OutputReader } from '../results/reading/output-reader'
import { countRanks, readOutput } from '../results/reading/read-output'
import { startReading } from '../results/reading/reading-slots'

interface LogRequest {
  /** Bytes of output to skip. */
  offset: number
  /** Maximum bytes of output to return; at least 4, because a character has up to four bytes. */
  limit: number
  /** The attempt to which the offset belongs; null: the latest. */
  attempt: number | null
  /** The rank whose output is read. Each rank of a multi-node job has its own offsets. */
  rank: number
}

/** A part of a job's output: both streams, in the order they were printed. */
export interface LogPart {
  text: string
  /** The `offset` of the next part. */
  nextOffset: number
  /** True if the job has ended and this is the end of its output. */
  ended: boolean
  attempt: number
  /** True if another attempt has started since; this is its output, from the beginning. */
  restarted: boolean
}

/**
 * Reads a byte range of a job's output. Consecutive parts contain every byte once. A part ends at a character
 * boundary, so it may be up to three bytes shorter than its limit.
 * @throws 422 for an offset beyond the end or inside a character, and for an unknown rank.
 */
export async function readLog(
  actor: Actor,
  jobId: string,
  request: LogRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<LogPart> {
  // Read before the output, because the final status is written after the last output.
  const job = await findVisibleJob(actor, jobId)
  const restarted = request.attempt !== null && request.attempt !== job.attempt
  const { limit, rank } = request
  if (rank > 0) await requireRank(job, rank)
  const reader = new OutputReader(actor.userId, signal)
  const release = await startReading(reader, jobId)
  const read = await readPart(reader, { ...job, rank }, restarted ? 0 : request.offset, limit).finally(
    release,
  )
  return { ...read, ended: read.isLast && isFinal(job.status), attempt: job.attempt, restarted }
}

/** The output of one rank in the latest attempt. */
type RankOfJob = Pick<VisibleJob, 'id' | 'attempt'> & { rank: number }

/** @throws 422 for a rank that the job does not have */
export async function requireRank({ id, attempt }: VisibleJob, rank: number): Promise<void> {
  const ranks = await countRanks(id, attempt)
  if (rank < ranks) return
  const message =
    ranks > 1 ? `the job has ranks 0 to ${ranks - 1}` : 'the job has one rank, or none yet: leave out rank'
  throw invalidField('rank', message)
}

async function readPart(reader: OutputReader, job: RankOfJob, offset: number, limit: number) {
  const start = findPosition(job, offset)
  const part = new TextPart(start.text, offset, limit)
  let next = start
  let last = start
  for await (const lines of readLines(readOutput(reader, job.id, job.attempt, start.record, job.rank))) {
    for (const line of lines) {
      last = next
      part.add(plainTextOf(line))
      next = { text: part.end, record: last.record + line.length + 1 }
      if (part.full) break
    }
    if (part.full) break
  }
  // The next part begins in the last line or after it. That line may not be stored completely yet.
  rememberPosition(job, last)
  if (part.end < offset)
    throw invalidField('offset', `the output has ${part.end} bytes so far: use that offset, or 0`)
  return { text: part.text, nextOffset: part.nextOffset, isLast: !part.full }
}

/** Collects at most `limit` bytes from `offset` on, of consecutive texts. */
class TextPart {
  readonly #pieces: Buffer[] = []
  #left: number
  /** Total bytes of the texts so far. */
  end: number
  nextOffset: number
  /** True if something was left out. */
  full = false

  constructor(
    start: number,
    readonly offset: number,
    limit: number,
  ) {
    this.end = start
    this.nextOffset = offset
    this.#left = limit
  }

  add(text: string): void {
    if (text === '') return
    const bytes = Buffer.from(text)
    const from = Math.max(0, this.offset - this.end)
    this.end += bytes.length
    if (from >= bytes.length) return
    if (isWithinCharacter(bytes, from)) {
      throw invalidField('offset', 'it is inside a character: use next_offset of the previous part, or 0')
    }
    const piece = bytes.subarray(from, lastCharacterEnd(bytes, from + this.#left))
    this.#pieces.push(piece)
    this.#left -= piece.length
    this.nextOffset += piece.length
    this.full = from + piece.length < bytes.length
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString('utf8')
  }
}

const isWithinCharacter = (bytes: Buffer, at: number) => ((bytes[at] ?? 0) & 0xc0) === 0x80

/** The last position at or before `end` at a character boundary. */
function lastCharacterEnd(bytes: Buffer, end: number): number {
  let at = Math.min(end, bytes.length)
  while (at > 0 && at < bytes.length && isWithinCharacter(bytes, at)) at--
  return at
}

/** The position of a text offset within the records. */
interface LogPosition {
  text: number
  record: number
}

/** Recently reached positions. A reader that continues there does not need to read everything before again. */
const positions = new Map<string, LogPosition>()
const maxPositions = 1000

const keyOf = ({ id, attempt, rank }: RankOfJob) => `${id}:${attempt}:${rank}`

function findPosition(job: RankOfJob, offset: number): LogPosition {
  const place = positions.get(keyOf(job))
  return place && place.text <= offset ? place : { text: 0, record: 0 }
}

function rememberPosition(job: RankOfJob, place: LogPosition): void {
  const key = keyOf(job)
  positions.delete(key)
  positions.set(key, place)
  const [oldest] = positions.keys()
  if (positions.size > maxPositions && oldest !== undefined) positions.delete(oldest)
}
