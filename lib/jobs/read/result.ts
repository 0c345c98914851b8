import type { JobResult, RankResult } from '../../contract/jobs'
import { reasonText } from '../../contract/reasons'
import { toUploadStatus } from '../../contract/status'
import { collectOutput } from '../../results/decode'
import { outputJson } from '../../results/output-json'
import type { OutputReader } from '../../results/output-reader'
import { countRanks, readOutput } from '../../results/read-output'
import { cachingOfOutput, startReading } from '../../results/reading-slots'
import { whileAllowed } from '../downloads/content-disposition'
import { streamed } from '../downloads/streamed'
import { readDetailRow } from './read'

/** Maximum bytes of each stream in a response. The download has everything. */
const answerBytes = 10 * 1024 * 1024

/** A job's result without its output. */
type ResultFacts = Omit<JobResult, keyof typeof nothingPrinted | 'ranks'>

/** How a result is sent. */
interface Sent {
  status?: number
  headers?: Record<string, string>
}

/**
 * Sends a job's status and its output so far. A long output is not kept in memory: it is sent as it is read, in the turns of
 * its reader, and as long as they may read it.
 * @param mayRead whether the reader may still have it
 * @param sent its status, headers and further facts, once the status of the job is known
 * @throws 429 if too many reads of the reader wait.
 */
export async function sendResult(
  reader: OutputReader,
  jobId: string,
  mayRead: () => Promise<boolean>,
  sent: (facts: ResultFacts) => Sent & { more?: object } = () => ({}),
): Promise<Response> {
  const slot = await startReading(reader, jobId)
  try {
    const row = await readDetailRow(jobId)
    const facts = factsOf(row)
    const { status = 200, headers, more } = sent(facts)
    const ranks = reader.headersOnly ? 0 : await countRanks(jobId, row.attempt)
    const caching = slot ? cachingOfOutput() : { 'cache-control': 'no-store' }
    const init = { status, headers: { 'content-type': 'application/json', ...caching, ...headers } }
    if (reader.headersOnly) return new Response(null, init)
    if (!slot) return Response.json({ ...(await shortResult(reader, row, ranks)), ...more }, init)
    const json = resultJson(reader, { facts: { ...facts, ...more }, jobId, attempt: row.attempt, ranks })
    return new Response(streamed(whileAllowed(json, mayRead), slot), init)
  } catch (error) {
    slot?.()
    throw error
  }
}

/** Reads a job's status and its output so far. For output that is short. */
export async function readResult(reader: OutputReader, jobId: string): Promise<JobResult> {
  const row = await readDetailRow(jobId)
  return shortResult(reader, row, await countRanks(jobId, row.attempt))
}

type DetailRow = Awaited<ReturnType<typeof readDetailRow>>

function factsOf(row: DetailRow): ResultFacts {
  return {
    job_id: row.job_id,
    status: toUploadStatus(row.status),
    reason: row.reason,
    reason_text: reasonText(row),
    exit_code: row.exit_code,
    result_file: row.result_file,
  }
}

const nothingPrinted: Omit<RankResult, 'rank'> = { stdout: '', stderr: '', results: [], truncated: false }

async function shortResult(reader: OutputReader, row: DetailRow, count: number): Promise<JobResult> {
  const maxBytes = bytesOfRank(count)
  const ranks: RankResult[] = []
  for (let rank = 0; rank < count; rank++) {
    const output = readOutput(reader, row.job_id, row.attempt, 0, rank)
    ranks.push({ rank, ...(await collectOutput(output, { maxBytes })) })
  }
  const [{ rank: _, ...first } = { rank: 0, ...nothingPrinted }] = ranks
  return { ...factsOf(row), ...first, ...(count > 1 ? { ranks } : {}) }
}

/** All ranks together have at most {@link answerBytes} per stream. */
const bytesOfRank = (count: number) => Math.floor(answerBytes / Math.max(1, count))

interface LongResult {
  facts: object
  jobId: string
  attempt: number
  ranks: number
}

async function* resultJson(
  reader: OutputReader,
  { facts, jobId, attempt, ranks }: LongResult,
): AsyncGenerator<Buffer> {
  const output = (rank: number) =>
    outputJson(() => readOutput(reader, jobId, attempt, 0, rank), bytesOfRank(ranks))
  yield Buffer.from(`${JSON.stringify(facts).slice(0, -1)},`)
  for await (const json of output(0)) yield Buffer.from(json)
  if (ranks > 1) {
    yield Buffer.from(',"ranks":[')
    for (let rank = 0; rank < ranks; rank++) {
      yield Buffer.from(`${rank === 0 ? '' : ','}{"rank":${rank},`)
      for await (const json of output(rank)) yield Buffer.from(json)
      yield Buffer.from('}')
    }
    yield Buffer.from(']')
  }
  yield Buffer.from('}')
}

/** The result of a job at the moment it is accepted. */
export function acceptedResult(jobId: string): JobResult {
  const nothingKnown = { reason: null, reason_text: null, exit_code: null, result_file: null }
  return { job_id: jobId, status: 'pending', ...nothingPrinted, ...nothingKnown }
}
