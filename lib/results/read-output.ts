import { database } from '../database/client'
import { storage } from '../storage/storage'
import { resultKey } from './name'

/** A piece of the output of one task: of rank 0, where the job has no other. */
export interface RankOutput {
  rank: number
  records: Buffer
}

/** A finished result: where it lies, and where the output lies within it. */
export interface StoredResultFile {
  name: string
  bytes: number
  outputStart: number
  outputBytes: number
}

/** Rows fetched at once: each holds a mebibyte at most. */
const chunksAtOnce = 16

/**
 * All that is stored of an attempt's output, from the chunks or the file, rank after rank: of each from a byte on, or
 * from its first where `from` does not say. The chunks go in the moment the file is there, so it is looked for after
 * them: nothing falls in between.
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
  const file = await findFileOf(jobId, attempt)
  if (file) yield* readFile(file, position)
}

/** The output of one rank from a byte on. */
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

/** The output of all ranks, one after the other, as it stands in the file. */
export async function* readAllOutput(jobId: string, attempt: number): AsyncGenerator<Buffer> {
  for await (const { records } of readRanks(jobId, attempt)) yield records
}

/** How many tasks an attempt has or had; 0 before it was placed. */
export async function countRanks(jobId: string, attempt: number): Promise<number> {
  const { rows } = await database().pool.query<{ ranks: number }>({
    name: 'count-ranks',
    text: 'SELECT count(*)::int AS ranks FROM tasks WHERE job_id = $1 AND attempt = $2',
    values: [jobId, attempt],
  })
  return rows[0]?.ranks ?? 0
}

/** The chunks of one attempt's output, from a byte of each rank on: whole records, if that is where one begins. */
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
              ORDER BY t.rank, c.start LIMIT ${chunksAtOnce}`,
      values: [jobId, attempt, Array.from(position, (byte) => byte ?? 0)],
    })
    for (const { rank, start, records } of rows) {
      position[rank] = start + records.length
      yield { rank, records }
    }
    if (rows.length < chunksAtOnce) return
  }
}

/** Where, of each rank, the chunk begins that has the last but `bytes` of its output, while it is in chunks; else 0. */
export async function startsOfTail(jobId: string, attempt: number, bytes: number): Promise<number[]> {
  const { rows } = await database().pool.query<{ start: number | null }>({
    name: 'starts-of-tail',
    text: `SELECT max(c.start)::int8 AS start
             FROM tasks t LEFT JOIN log_chunks c ON c.task_id = t.id AND c.start <= t.output_bytes - $3
            WHERE t.job_id = $1 AND t.attempt = $2 GROUP BY t.rank ORDER BY t.rank`,
    values: [jobId, attempt, bytes],
  })
  return rows.map(({ start }) => start ?? 0)
}

/** The stored file of an ended job; null until it is written. */
export async function findResultFile(jobId: string): Promise<StoredResultFile | null> {
  const { rows } = await database().pool.query<StoredResultFile>({
    name: 'find-result-file',
    text: `SELECT name, bytes, output_start AS "outputStart", output_bytes AS "outputBytes"
             FROM result_files WHERE job_id = $1 AND stored_at IS NOT NULL`,
    values: [jobId],
  })
  return rows[0] ?? null
}

/** The file, and how much of it is each rank's. */
interface FileOfRanks {
  name: string
  outputStart: number
  outputBytes: number
  sizes: number[]
}

async function findFileOf(jobId: string, attempt: number): Promise<FileOfRanks | null> {
  const { rows } = await database().pool.query<FileOfRanks>({
    name: 'find-file-of-ranks',
    text: `SELECT f.name, f.output_start AS "outputStart", f.output_bytes AS "outputBytes",
                  coalesce((SELECT jsonb_agg(t.output_bytes ORDER BY t.rank) FROM tasks t
                             WHERE t.job_id = $1 AND t.attempt = $2), '[]') AS sizes
             FROM result_files f WHERE f.job_id = $1 AND f.stored_at IS NOT NULL`,
    values: [jobId, attempt],
  })
  return rows[0] ?? null
}

/** Where in a file a rank's output lies. */
interface Place {
  rank: number
  from: number
  to: number
}

/** Where what each rank's reader lacks lies in the file, which holds the ranks one after the other. Pure. */
export function placesOf(start: number, sizes: readonly number[], from: readonly number[]): Place[] {
  let end = start
  return sizes.flatMap((size, rank) => {
    const begin = end
    end += size
    const lacking = { rank, from: begin + Math.min(from[rank] ?? 0, size), to: end }
    return lacking.from < lacking.to ? [lacking] : []
  })
}

async function* readFile(file: FileOfRanks, from: readonly number[]): AsyncGenerator<RankOutput> {
  const places = placesOf(file.outputStart, file.sizes, from)
  const [first, last] = [places[0], places.at(-1)]
  if (!first || !last) return
  const { stream } = await storage().open(resultKey(file.name), { start: first.from })
  let at = first.from
  for await (const part of stream as AsyncIterable<Buffer>) {
    for (const { rank, from, to } of places) {
      const records = part.subarray(Math.max(0, from - at), Math.max(0, to - at))
      if (records.length > 0) yield { rank, records }
    }
    at += part.length
    if (at >= last.to) break
  }
}
