import { database } from '../database/client'
import { findRow, oneRow } from '../database/transaction'
import { resultKey } from './name'
import { openUnlessDeleted } from './open-unless-deleted'

/** A piece of the output of one task; rank 0 for a single task. */
export interface RankOutput {
  rank: number
  records: Buffer
}

/** Rows fetched at once; each has at most 1 MiB. */
const chunksPerQuery = 16

/**
 * Reads the stored output of an attempt, rank after rank, from the chunks or the file. Each rank starts at its
 * offset in `from`, otherwise at 0. Looks for the chunks first: they are deleted as soon as the file exists, so
 * checking the file afterwards misses nothing.
 */
export async function* readRanks(
  jobId: string,
  attempt: number,
  from: readonly number[] = [],
): AsyncGenerator<RankOutput> {
  const position = [...from]
  for await (const piece of readChunks(jobId, attempt, from)) {
    position[piece.rank] = (position[piece.rank] ?? 0) + piece.records.length
    yield piece
  }
  const file = await findRankedFile(jobId, attempt)
  if (file) yield* readFile(jobId, file, position)
}

/** Reads the output of one rank from a byte offset on. */
export async function* readOutput(
  jobId: string,
  attempt: number,
  from: number,
  rank = 0,
): AsyncGenerator<Buffer> {
  const others = Array<number>(rank).fill(Number.MAX_SAFE_INTEGER)
  for await (const piece of readRanks(jobId, attempt, [...others, from])) {
    if (piece.rank !== rank) return
    yield piece.records
  }
}

/**
 * Reads the first records of an attempt, as lines of JSON: whole records of at most `maxBytes` together. The output should be short or
 * in the result file, because chunks are read several at a time.
 */
export async function readFirstRecords(jobId: string, attempt: number, maxBytes: number): Promise<string[]> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const { records } of readRanks(jobId, attempt)) {
    parts.push(records)
    bytes += records.length
    if (bytes > maxBytes) break
  }
  const read = Buffer.concat(parts).subarray(0, maxBytes)
  return read
    .toString('utf8', 0, read.lastIndexOf(0x0a) + 1)
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

/**
 * Reads the chunks of an attempt's output from a byte offset of each rank. A record may continue in the next chunks.
 */
export async function* readChunks(
  jobId: string,
  attempt: number,
  from: readonly number[] = [],
): AsyncGenerator<RankOutput> {
  const position = [...from]
  for (;;) {
    const { rows } = await database().pool.query<{ rank: number; start: number; records: Buffer }>({
      name: 'read-chunks',
      text: `SELECT t.rank, c.start, c.records FROM log_chunks c JOIN tasks t ON t.id = c.task_id
              WHERE t.job_id = $1 AND t.attempt = $2 AND c.start >= coalesce(($3::int8[])[t.rank + 1], 0)
              ORDER BY t.rank, c.start LIMIT ${chunksPerQuery}`,
      values: [jobId, attempt, Array.from(position, (byte) => byte ?? 0)],
    })
    for (const { rank, start, records } of rows) {
      position[rank] = start + records.length
      yield { rank, records }
    }
    if (rows.length < chunksPerQuery) return
  }
}

/**
 * Returns for each rank the start of the chunk that contains the byte `bytes` before its end; 0 without chunks. If the
 * chunk continues a large record, it is an earlier one that starts with a record.
 */
export async function tailOffsets(jobId: string, attempt: number, bytes: number): Promise<number[]> {
  const { rows } = await database().pool.query<{ start: number | null }>({
    name: 'starts-of-tail',
    text: `SELECT c.start::int8 AS start FROM tasks t LEFT JOIN LATERAL (
             SELECT c.start FROM log_chunks c LEFT JOIN LATERAL (
                      SELECT p.records FROM log_chunks p WHERE p.task_id = c.task_id AND p.start < c.start
                       ORDER BY p.start DESC LIMIT 1) AS before ON true
              WHERE c.task_id = t.id AND c.start <= t.output_bytes - $3
                AND (before.records IS NULL OR get_byte(before.records, octet_length(before.records) - 1) = 10)
              ORDER BY c.start DESC LIMIT 1) AS c ON true
            WHERE t.job_id = $1 AND t.attempt = $2 ORDER BY t.rank`,
    values: [jobId, attempt, bytes],
  })
  return rows.map(({ start }) => start ?? 0)
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
