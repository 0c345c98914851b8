import { GpuqError } from '../../contract/errors'
import { RankLabels } from '../../contract/rank-labels'
import { isFinal } from '../../contract/status'
import { toPlainText } from '../../results/decode'
import { resultKey } from '../../results/name'
import { countRanks, readOutput } from '../../results/read-output'
import { storage } from '../../storage/storage'
import { waitForResultFile } from '../live/wait'
import type { VisibleJob } from '../read/job-visibility'
import { deletedAfterDays } from './artifacts'
import { contentDisposition } from './content-disposition'

/**
 * A job's JSONL file, or its output as plain text, of several ranks one after the other and each line under its rank's
 * label. The text of a running job is what there is so far.
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
    throw new GpuqError('conflict', 'The job has not ended yet. Its result file is written when it does.')
  }
  const days = await deletedAfterDays(job.id)
  if (days !== null) {
    throw new GpuqError('not_found', `It was deleted after ${days} days, by the retention of its project.`)
  }
  const file = await waitForResultFile(job.id, AbortSignal.timeout(5_000))
  if (!file) {
    throw new GpuqError('unavailable', 'The result file is being written. Try again in a second.', {
      headers: { 'retry-after': '1' },
    })
  }
  const { stream } = await storage().open(resultKey(file.name))
  return contentDisposition(stream, { name: file.name, type: 'application/x-ndjson; charset=utf-8' })
}

async function plainText({ id, attempt }: VisibleJob): Promise<AsyncIterable<Buffer>> {
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
