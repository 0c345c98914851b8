import type { Actor } from '../access/actor'
import { GpuqError } from '../contract/errors'
import { isFinal } from '../contract/status'
import { findVisibleJob, type VisibleJob } from '../jobs/read/job-visibility'
import { plainTextOf } from '../results/decode'
import { readLines } from '../results/lines'
import { countRanks, readOutput } from '../results/read-output'

interface LogRequest {
  /** Bytes of output to pass over. */
  offset: number
  /** Bytes of output to return at most, 4 or more: a character has up to four. */
  limit: number
  /** The attempt that the offset belongs to; null: whichever is the last. */
  attempt: number | null
  /** Whose output: each rank of a job over several nodes is counted from 0. */
  rank: number
}

/** A part of what a job printed, both streams in the order they came. */
export interface LogPart {
  text: string
  /** `offset` of the next part. */
  nextOffset: number
  /** True once the job has ended and this was the last of its output. */
  ended: boolean
  attempt: number
  /** True when another attempt has begun since: this is its output, from the beginning. */
  restarted: boolean
}

/**
 * Reads a job's output by bytes: parts that follow each other hold every byte once. A part ends at the end of a
 * character, so it may be up to three bytes shorter than its limit.
 * @throws 422 for an offset behind the end of the output, or within a character, and for a rank that there is not.
 */
export async function readLog(actor: Actor, jobId: string, request: LogRequest): Promise<LogPart> {
  // Read before the output: a verdict is written after the last of it.
  const job = await findVisibleJob(actor, jobId)
  const restarted = request.attempt !== null && request.attempt !== job.attempt
  const { limit, rank } = request
  if (rank > 0) await requireRank(job, rank)
  const read = await readPart({ ...job, rank }, restarted ? 0 : request.offset, limit)
  return { ...read, ended: read.isLast && isFinal(job.status), attempt: job.attempt, restarted }
}

/** One rank's output of the job's last attempt. */
type RankOfJob = Pick<VisibleJob, 'id' | 'attempt'> & { rank: number }

async function requireRank({ id, attempt }: VisibleJob, rank: number): Promise<void> {
  const ranks = await countRanks(id, attempt)
  if (rank < ranks) return
  const message =
    ranks > 1 ? `the job has ranks 0 to ${ranks - 1}` : 'the job has one rank, or none yet: leave it out'
  throw new GpuqError('invalid_fields', `rank: ${message}`, { errors: [{ path: 'rank', message }] })
}

async function readPart(job: RankOfJob, offset: number, limit: number) {
  const place = findPlace(job, offset)
  const part = new TextPart(place.text, offset, limit)
  let consumed = place.record
  async function* counted() {
    for await (const bytes of readOutput(job.id, job.attempt, place.record, job.rank)) {
      consumed += bytes.length
      yield bytes
    }
  }
  let seen = place.record
  for await (const lines of readLines(counted())) {
    for (const line of lines) {
      seen += line.length + 1
      part.add(plainTextOf(line))
      if (part.full) break
    }
    if (part.full) break
    // Only here is it sure that reading can begin again: records are stored several at a time.
    if (seen === consumed) notePlace(job, { text: part.end, record: seen })
  }
  if (part.end < offset) throw wrongOffset(`the output has ${part.end} bytes so far: begin there, or at 0`)
  return { text: part.text, nextOffset: part.nextOffset, isLast: !part.full }
}

const wrongOffset = (message: string) =>
  new GpuqError('invalid_fields', `offset: ${message}`, { errors: [{ path: 'offset', message }] })

/** Collects the bytes from `offset` on, `limit` of them at most, of texts that come one after the other. */
class TextPart {
  readonly #pieces: Buffer[] = []
  #left: number
  /** How far the texts seen go. */
  end: number
  nextOffset: number
  /** True when something was left out. */
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
      throw wrongOffset('it is in the middle of a character: use next_offset of the part before, or 0')
    }
    const piece = bytes.subarray(from, wholeCharacters(bytes, from + this.#left))
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

/** The last place at or before `end` where a character ends. */
function wholeCharacters(bytes: Buffer, end: number): number {
  let at = Math.min(end, bytes.length)
  while (at > 0 && at < bytes.length && isWithinCharacter(bytes, at)) at--
  return at
}

/** Where a text offset lies in the records. */
interface Place {
  text: number
  record: number
}

/** Places reached lately: whoever goes on reading is not made to wait until all before it was read again. */
const places = new Map<string, Place>()
const mostPlaces = 1000

const keyOf = ({ id, attempt, rank }: RankOfJob) => `${id}:${attempt}:${rank}`

function findPlace(job: RankOfJob, offset: number): Place {
  const place = places.get(keyOf(job))
  return place && place.text <= offset ? place : { text: 0, record: 0 }
}

function notePlace(job: RankOfJob, place: Place): void {
  const key = keyOf(job)
  places.delete(key)
  places.set(key, place)
  const [oldest] = places.keys()
  if (places.size > mostPlaces && oldest !== undefined) places.delete(oldest)
}
