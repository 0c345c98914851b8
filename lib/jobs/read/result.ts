import type { JobResult, RankResult } from '../../contract/jobs'
import { reasonText } from '../../contract/reasons'
import { toUploadStatus } from '../../contract/status'
import { outputJson } from '../../results/output-json'
import type { OutputReader } from '../../results/reading/output-reader'
import { countRanks, readOutput } from '../../results/reading/read-output'
import { cachingOfOutput, startReading } from '../../results/reading/reading-slots'
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
    const json = resultJson(reader, { facts: { ...facts, ...more }, jobId, attempt: row.attempt, ranks })
    if (!slot) {
      const pieces: Buffer[] = []
      for await (const piece of json) pieces.push(piece)
      return new Response(Buffer.concat(pieces), init)
    }
    return new Response(streamed(whileAllowed(json, mayRead), slot), init)
  } catch (error) {
    slot?.()
    throw error
  }
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

/** All ranks together have at most {@link answerBytes} per stream. */
const bytesOfRank = (count: number) => Math.floor(answerBytes / Math.max(1, count))

interface PrintedResult {
  facts: object
  jobId: string
  attempt: number
  ranks: number
}

/** The results are in it as they were printed: parsing and writing them again would change numbers and repeated keys. */
async function* resultJson(
  reader: OutputReader,
  { facts, jobId, attempt, ranks }: PrintedResult,
): AsyncGenerator<Buffer> {
  const output = (rank: number) =>
    outputJson(() => readOutput(reader, jobId, attempt, 0, rank), bytesOfRank(ranks))
  yield Buffer.from(`${JSON.stringify(facts).slice(0, -1)},`)
  if (ranks === 0) yield Buffer.from(JSON.stringify(nothingPrinted).slice(1, -1))
  else for await (const json of output(0)) yield Buffer.from(json)
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
