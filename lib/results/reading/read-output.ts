import { database } from '../../database/client'
import { findRow, oneRow } from '../../database/transaction'
import { resultKey } from '../name'
import { openUnlessDeleted } from '../open-unless-deleted'
import { inTurns, type OutputReader } from './output-reader'
import { type RankOutput, readChunks } from './read-chunks'

/**
 * Reads the stored output of an attempt, rank after rank, from the chunks or the file. Each rank starts at its
 * offset in `from`, otherwise at 0. Looks for the chunks first: they are deleted as soon as the file exists, so
 * checking the file afterwards misses nothing.
 */
export function readRanks(
  reader: OutputReader,
  jobId: string,
  attempt: number,
  from: readonly number[] = [],
): AsyncGenerator<RankOutput> {
  return inTurns(readStored(reader, jobId, attempt, from), reader, ranked)
}

/** {@link readRanks} without the file: the new output of a job that runs. */
export function readNewRanks(
  reader: OutputReader,
  jobId: string,
  attempt: number,
  from: readonly number[],
): AsyncGenerator<RankOutput> {
  return inTurns(readChunks(jobId, attempt, from, reader), reader, ranked)
}

const ranked = {
  size: ({ records }: RankOutput) => records.length,
  slice: ({ rank, records }: RankOutput, from: number, to: number) => ({
    rank,
    records: records.subarray(from, to),
  }),
}

async function* readStored(
  reader: OutputReader,
  jobId: string,
  attempt: number,
  from: readonly number[],
): AsyncGenerator<RankOutput> {
  const position = [...from]
  for await (const piece of readChunks(jobId, attempt, from, reader)) {
    position[piece.rank] = (position[piece.rank] ?? 0) + piece.records.length
    yield piece
  }
  const file = await findRankedFile(jobId, attempt)
  if (file) yield* readFile(jobId, file, position)
}

/** Reads the output of one rank from a byte offset on. */
export async function* readOutput(
  reader: OutputReader,
  jobId: string,
  attempt: number,
  from: number,
  rank = 0,
): AsyncGenerator<Buffer> {
  const others = Array<number>(rank).fill(Number.MAX_SAFE_INTEGER)
  for await (const piece of readRanks(reader, jobId, attempt, [...others, from])) {
    if (piece.rank !== rank) return
    yield piece.records
  }
}

/**
 * Reads the first records of an attempt, as lines of JSON: whole records of at most `maxBytes` together. The output should be short or
 * in the result file, because chunks are read several at a time.
 */
export async function readFirstRecords(
  reader: OutputReader,
  jobId: string,
  attempt: number,
  maxBytes: number,
): Promise<string[]> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const { records } of readRanks(reader, jobId, attempt)) {
    parts.push(records)
    bytes += records.length
    if (bytes > maxBytes) break
  }
  return wholeLines(Buffer.concat(parts).subarray(0, maxBytes))
}

/** Reads the last records of an attempt, as lines of JSON, rank after rank: whole records of about `maxBytes` together. */
export async function readLastRecords(
  reader: OutputReader,
  jobId: string,
  attempt: number,
  maxBytes: number,
): Promise<string[]> {
  const { rows } = await database().pool.query<{ bytes: number }>({
    name: 'output-bytes-of-ranks',
    text: 'SELECT output_bytes::int8 AS bytes FROM tasks WHERE job_id = $1 AND attempt = $2 ORDER BY rank',
    values: [jobId, attempt],
  })
  const from = rows.map(({ bytes }) => Math.max(0, bytes - Math.floor(maxBytes / rows.length)))
  const read = new Map<number, Buffer[]>()
  for await (const { rank, records } of readRanks(reader, jobId, attempt, from))
    read.set(rank, [...(read.get(rank) ?? []), records])
  return [...read].flatMap(([rank, parts]) => {
    const records = Buffer.concat(parts)
    // The first record is not whole.
    return wholeLines(from[rank] === 0 ? records : records.subarray(records.indexOf(0x0a) + 1))
  })
}

function wholeLines(records: Buffer): string[] {
  return records
    .toString('utf8', 0, records.lastIndexOf(0x0a) + 1)
    .split('\n')
    .slice(0, -1)
}

/** Counts the tasks of an attempt; 0 before it was placed. */
export async function countRanks(jobId: string, attempt: number): Promise<number> {
  const { ranks } = await oneRow<{ ranks: number }>(database().pool, {
    name: 'count-ranks',
    text: 'SELECT count(*)::int AS ranks FROM tasks WHERE job_id = $1 AND attempt = $2',
    values: [jobId, attempt],
  })
  return ranks
}

/** The bytes of the stored output of a job's last attempt. */
export async function outputBytes(jobId: string): Promise<number> {
  const { bytes } = await oneRow<{ bytes: number }>(database().pool, {
    name: 'output-bytes',
    text: `SELECT coalesce(sum(t.output_bytes), 0)::int8 AS bytes
             FROM jobs j JOIN tasks t ON t.job_id = j.id AND t.attempt = j.attempt WHERE j.id = $1`,
    values: [jobId],
  })
  return bytes
}

/** Finds the name of an ended job's result file; null until it is written. */
export async function findResultFile(jobId: string): Promise<string | null> {
  const file = await findRow<{ name: string }>(database().pool, {
    name: 'find-result-file',
    text: 'SELECT name FROM result_files WHERE job_id = $1 AND stored_at IS NOT NULL',
    values: [jobId],
  })
  return file?.name ?? null
}

/** A file and the size of each rank's output in it. */
interface RankedFile {
  name: string
  outputStart: number
  sizes: number[]
}

function findRankedFile(jobId: string, attempt: number): Promise<RankedFile | null> {
  return findRow<RankedFile>(database().pool, {
    name: 'find-file-of-ranks',
    text: `SELECT f.name, f.output_start AS "outputStart",
                  coalesce((SELECT jsonb_agg(t.output_bytes ORDER BY t.rank) FROM tasks t
                             WHERE t.job_id = $1 AND t.attempt = $2), '[]') AS sizes
             FROM result_files f WHERE f.job_id = $1 AND f.stored_at IS NOT NULL`,
    values: [jobId, attempt],
  })
}

/** The position of a rank's output in a file. */
interface FileRange {
  rank: number
  from: number
  to: number
}

/**
 * Returns the positions in the file of what each rank's reader has not read yet. The file contains the ranks one
 * after the other. Pure.
 */
export function rangesOf(start: number, sizes: readonly number[], from: readonly number[]): FileRange[] {
  let end = start
  return sizes.flatMap((size, rank) => {
    const begin = end
    end += size
    const unread = { rank, from: begin + Math.min(from[rank] ?? 0, size), to: end }
    return unread.from < unread.to ? [unread] : []
  })
}

async function* readFile(
  jobId: string,
  file: RankedFile,
  from: readonly number[],
): AsyncGenerator<RankOutput> {
  const ranges = rangesOf(file.outputStart, file.sizes, from)
  const [first, last] = [ranges[0], ranges.at(-1)]
  if (!first || !last) return
  const opened = await openUnlessDeleted(jobId, resultKey(file.name), { start: first.from })
  // Deleted output reads as no output.
  if ('files_deleted' in opened) return
  const { stream } = opened
  let at = first.from
  for await (const part of stream as AsyncIterable<Buffer>) {
    for (const { rank, from, to } of ranges) {
      const records = part.subarray(Math.max(0, from - at), Math.max(0, to - at))
      if (records.length > 0) yield { rank, records }
    }
    at += part.length
    if (at >= last.to) break
  }
}
