import { conflict, unavailable } from '../../contract/errors'
import { RankLabels } from '../../contract/rank-labels'
import { isFinal } from '../../contract/status'
import { toPlainText } from '../../results/decode'
import { resultKey } from '../../results/name'
import { countRanks, readOutput } from '../../results/read-output'
import { waitForResultFile } from '../live/wait'
import type { VisibleJob } from '../read/job-visibility'
import { filesDeleted, openFile } from './artifacts'
import { contentDisposition } from './content-disposition'

/**
 * Returns a job's JSONL file, or its output so far as plain text. The text of several ranks has one rank after the
 * other, with the rank as a label on each line.
 * @throws 409 for the file of a job that has not ended, 503 while the file is being written.
 */
export async function downloadResult(job: VisibleJob, format: 'jsonl' | 'text'): Promise<Response> {
  if (format === 'text') {
    return contentDisposition(await plainText(job), {
      name: `${job.id}.txt`,
      type: 'text/plain; charset=utf-8',
    })
  }
  if (!isFinal(job.status)) {
    throw conflict('The job has not ended yet. Its result file is written after its end. Try again later.')
  }
  if (job.files_deleted !== null) throw filesDeleted(job)
  const name = await waitForResultFile(job.id, AbortSignal.timeout(5_000))
  if (name === null) {
    throw unavailable('The result file is being written. Try again in a second.', 1)
  }
  const { stream } = await openFile(job.id, resultKey(name))
  return contentDisposition(stream, { name, type: 'application/x-ndjson; charset=utf-8' })
}

/** Returns the output of an attempt as plain text, one rank after the other. */
export async function plainText({
  id,
  attempt,
}: Pick<VisibleJob, 'id' | 'attempt'>): Promise<AsyncIterable<Buffer>> {
  const ranks = await countRanks(id, attempt)
  return ranks > 1 ? labelledText(id, attempt, ranks) : toPlainText(readOutput(id, attempt, 0))
}

async function* labelledText(jobId: string, attempt: number, ranks: number): AsyncGenerator<Buffer> {
  const labels = new RankLabels()
  for (let rank = 0; rank < ranks; rank++) {
    for await (const text of toPlainText(readOutput(jobId, attempt, 0, rank))) {
      yield Buffer.from(labels.label(rank, text.toString()))
    }
  }
}
