import { database } from '../../database/client'
import { inTurn, needsTurn, type OutputReader } from './output-reader'

/** A piece of the output of one task; rank 0 for a single task. */
export interface RankOutput {
  rank: number
  records: Buffer
}

/** Rows fetched at once, each with at most 1 MiB: fewer if they have more bytes together. */
const chunksPerQuery = 16
const bytesPerQuery = 256 * 1024
/** In hexadecimal, as the database sends it, still a small value. */
const bytesPerPiece = 48 * 1024

interface PieceRow {
  rank: number
  start: number
  records: Buffer
  /** Whether chunks follow those of the query. */
  more: boolean
}

/**
 * Reads the chunks of an attempt's output from a byte offset of each rank, which may be inside a chunk, in pieces of any size. A
 * record may continue in the next ones.
 * @param reader whose turns the queries wait for, except the first one of a short reading; the leader, which needs all output,
 * waits for none.
 */
export async function* readChunks(
  jobId: string,
  attempt: number,
  from: readonly number[] = [],
  reader: OutputReader | null = null,
): AsyncGenerator<RankOutput> {
  const position = [...from]
  const query = async () => {
    const bytes = Array.from(position, (byte) => byte ?? 0)
    const { rows } = await database().pool.query<PieceRow>({
      name: 'read-chunks',
      text: selectPieces,
      values: [jobId, attempt, bytes],
    })
    return rows
  }
  for (let isFirst = true; ; isFirst = false) {
    const isShort = reader === null || (isFirst && !needsTurn(reader))
    const rows = isShort ? await query() : await inTurn(reader, query)
    for (const { rank, start, records } of rows) {
      position[rank] = start + records.length
      yield { rank, records }
    }
    if (!rows.at(-1)?.more) return
  }
}

/** The chunks are unpacked once (`||`), and divided in the database: large values would make the garbage collector stop the process. */
const selectPieces = `
  WITH next AS (
    SELECT t.rank, c.start, c.records, p.byte FROM tasks t
     CROSS JOIN LATERAL (SELECT coalesce(($3::int8[])[t.rank + 1], 0) AS byte) p
      JOIN log_chunks c ON c.task_id = t.id AND c.start + octet_length(c.records) > p.byte
       AND c.start >= coalesce((SELECT max(e.start) FROM log_chunks e WHERE e.task_id = t.id AND e.start <= p.byte), 0)
     WHERE t.job_id = $1 AND t.attempt = $2 ORDER BY t.rank, c.start LIMIT ${chunksPerQuery}
  ), counted AS (
    SELECT rank, start, records, byte, row_number() OVER (ORDER BY rank, start) AS number, count(*) OVER () AS found,
           sum(octet_length(records)) OVER (ORDER BY rank, start) - octet_length(records) AS before FROM next
  ), chosen AS MATERIALIZED (
    SELECT rank, start, records || ''::bytea AS records, byte, found = ${chunksPerQuery} OR number < found AS more
      FROM counted WHERE before < ${bytesPerQuery}
  )
  SELECT rank, start + o AS start, substring(records FROM o + 1 FOR ${bytesPerPiece}) AS records, more
    FROM chosen CROSS JOIN LATERAL generate_series(greatest(byte - start, 0)::int, octet_length(records) - 1, ${bytesPerPiece}) o
   ORDER BY rank, chosen.start, o`

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
