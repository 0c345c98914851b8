import { conflict, unavailable } from '../../contract/errors'
import { RankLabels } from '../../contract/output/rank-labels'
import { isFinal } from '../../contract/status'
import { database } from '../../database/client'
import { oneRow } from '../../database/transaction'
import { printedText, toPlainText } from '../../results/decode'
import { resultKey } from '../../results/name'
import type { OutputReader } from '../../results/reading/output-reader'
import { countRanks, readOutput } from '../../results/reading/read-output'
import { cachingOfOutput, startReading } from '../../results/reading/reading-slots'
import type { ByteRange } from '../../storage/store'
import { waitForResultFile } from '../live/wait'
import type { VisibleJob } from '../read/job-visibility'
import { contentDisposition, type Download } from './content-disposition'
import { filesDeleted, openFile, type RequestHeaders, storedDownload } from './stored-file'

/**
 * Returns a job's JSONL file, as it is stored.
 * @param headers may ask for a part of the file
 * @throws 409 for the file of a job that has not ended, 503 while the file is being written, 416.
 */
export async function downloadResultFile(job: VisibleJob, headers: RequestHeaders): Promise<Response> {
  const { mayRead } = job
  if (!isFinal(job.status)) {
    throw conflict('The job has not ended yet. Its result file is written after its end. Try again later.')
  }
  if (job.files_deleted !== null) throw filesDeleted(job)
  const name = await waitForResultFile(job.id, AbortSignal.timeout(5_000))
  if (name === null) {
    throw unavailable('The result file is being written. Try again in a second.', 1)
  }
  const facts = await oneRow<{ bytes: number; sha256: string }>(
    database().pool,
    'SELECT bytes::int8 AS bytes, sha256 FROM result_files WHERE job_id = $1',
    [job.id],
  )
  const open = async (range?: ByteRange) => (await openFile(job.id, resultKey(name), range)).stream
  const type = 'application/x-ndjson; charset=utf-8'
  return storedDownload(headers, { ...facts, open }, { name, type, mayRead })
}

/**
 * Downloads the output of an attempt so far as plain text. The text of several ranks has one rank after the other, with the rank as a
 * label on each line. A long output needs a slot of its reader.
 * @throws 429 if too many reads of the reader wait.
 */
export async function downloadText(
  reader: OutputReader,
  attempt: Attempt,
  download: Pick<Download, 'name' | 'mayRead'>,
): Promise<Response> {
  const ranks = await countRanks(attempt.id, attempt.attempt)
  const text = plainText(reader, attempt, ranks)
  const slot = await startReading(reader, attempt.id)
  const type = 'text/plain; charset=utf-8'
  const headers = slot ? cachingOfOutput() : {}
  return contentDisposition(text, { ...download, type, onEnd: slot }, { headers })
}

type Attempt = Pick<VisibleJob, 'id' | 'attempt'>

/** Returns the output of an attempt as plain text, one rank after the other. */
export function plainText(
  reader: OutputReader,
  { id, attempt }: Attempt,
  ranks: number,
): AsyncGenerator<Buffer> {
  return ranks > 1
    ? labelledText(reader, id, attempt, ranks)
    : toPlainText(readOutput(reader, id, attempt, 0))
}

async function* labelledText(
  reader: OutputReader,
  jobId: string,
  attempt: number,
  ranks: number,
): AsyncGenerator<Buffer> {
  const labels = new RankLabels()
  for (let rank = 0; rank < ranks; rank++) {
    for await (const text of printedText(readOutput(reader, jobId, attempt, 0, rank))) {
      yield Buffer.from(labels.label(rank, text))
    }
  }
}
