import { database } from '../database/client'
import { channels } from '../database/listen'
import { isUniqueViolation, transaction } from '../database/transaction'
import { describeReason, type EndReason } from '../jobs/reasons'
import { publicSpec, storedSpecSchema } from '../jobs/stored-spec'
import { storage } from '../storage/storage'
import { StorageFault } from '../storage/store'
import { resultFileName, resultKey } from './name'
import type { ExitRecord, JobRecord } from './records'

/** A finished result: where it lies, and where the output lies within it. */
export interface StoredResultFile {
  name: string
  bytes: number
  outputStart: number
  outputBytes: number
}

interface EndedJob {
  id: string
  handle: string
  competitionId: string
  projectId: string
  name: string | null
  attempt: number
  spec: unknown
  command: string | null
  environment: string
  image: string
  imageDigest: string | null
  node: string | null
  gpus: JobRecord['gpus']
  status: ExitRecord['status']
  reason: EndReason
  reasonDetail: string | null
  exitCode: number | null
  outputBytes: number
  createdAt: Date
  startedAt: Date | null
  endedAt: Date
}

/** Ids of ended jobs whose output still waits to become a file, oldest first. */
export async function jobsWithoutResult(limit: number): Promise<string[]> {
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'jobs-without-result',
    text: `SELECT id FROM jobs WHERE status IN ('completed', 'failed', 'cancelled') AND NOT result_stored
            ORDER BY ended_at LIMIT $1`,
    values: [limit],
  })
  return rows.map(({ id }) => id)
}

/**
 * Turns an ended job's output into its file, then forgets the chunks. Safe to repeat after any crash, and beside another
 * process that does the same, as a leader does that was stopped and does not know yet that it is none: a name gets a file
 * only when all of the output is in it, so whichever is there is the right one, and the chunks are gone only after that.
 */
export async function storeResult(jobId: string): Promise<void> {
  const job = await readEndedJob(jobId)
  if (!job) return
  const name = await reserveName(job)
  const first = Buffer.from(`${JSON.stringify(jobRecord(job))}\n`)
  const last = Buffer.from(`${JSON.stringify(exitRecord(job))}\n`)
  const store = storage()
  const key = resultKey(name)
  const write = () => store.write(key, concat(first, readWholeOutput(job), last))
  const stored = await write().catch(async (error: unknown) => {
    if (!(error instanceof StorageFault) || error.code !== 'exists') throw error
    const found = await store.measure(key)
    if (found.bytes === first.length + job.outputBytes + last.length) return found
    // A disk without hard links reserves the name first: this is what a crash right after that has left.
    await store.remove(key)
    return write()
  })
  await transaction(async (tx) => {
    await tx.query(
      `UPDATE result_files SET output_start = $2, output_bytes = $3, bytes = $4, sha256 = $5, stored_at = now() WHERE job_id = $1`,
      [jobId, first.length, stored.bytes - first.length - last.length, stored.bytes, stored.sha256],
    )
    await tx.query('UPDATE jobs SET result_stored = true WHERE id = $1', [jobId])
    // With the chunks goes what was typed, and never read.
    for (const table of ['log_chunks', 'terminal_inputs']) {
      await tx.query(`DELETE FROM ${table} WHERE task_id IN (SELECT id FROM tasks WHERE job_id = $1)`, [
        jobId,
      ])
    }
    await tx.query('SELECT pg_notify($1, $2)', [channels.job, jobId])
  })
}

async function readEndedJob(jobId: string): Promise<EndedJob | null> {
  const { rows } = await database().pool.query<EndedJob>({
    name: 'read-ended-job',
    text: `SELECT j.id, u.handle, j.competition_id AS "competitionId", p.slug AS "projectId", j.name, j.attempt, j.spec, j.command,
                  e.name AS environment, e.image, j.image_digest AS "imageDigest", n.name AS node,
                  coalesce((SELECT jsonb_agg(jsonb_build_object('uuid', g.uuid, 'index', g.index, 'model', g.model,
                                             'simulated', g.simulated, 'milli', a.milli) ORDER BY g.index)
                              FROM allocations a JOIN gpus g ON g.id = a.gpu_id WHERE a.task_id = t.id), '[]') AS gpus,
                  j.status, j.reason, j.reason_detail AS "reasonDetail", j.exit_code AS "exitCode",
                  coalesce(t.output_bytes, 0) AS "outputBytes", j.created_at AS "createdAt", j.started_at AS "startedAt", j.ended_at AS "endedAt"
             FROM jobs j JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id
             JOIN environments e ON e.id = j.environment_id
             LEFT JOIN tasks t ON t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0
             LEFT JOIN nodes n ON n.id = t.node_id
            WHERE j.id = $1 AND j.status IN ('completed', 'failed', 'cancelled') AND NOT j.result_stored`,
    values: [jobId],
  })
  return rows[0] ?? null
}

/** Two jobs of one millisecond would share a name: the later one takes the next free millisecond. */
async function reserveName(job: EndedJob): Promise<string> {
  for (let later = 0; ; later++) {
    const name = resultFileName(job.handle, job.competitionId, new Date(job.endedAt.getTime() + later))
    try {
      const { rows } = await database().pool.query<{ name: string }>(
        `INSERT INTO result_files (job_id, name) VALUES ($1, $2)
         ON CONFLICT (job_id) DO UPDATE SET name = result_files.name RETURNING name`,
        [job.id, name],
      )
      return rows[0]?.name ?? name
    } catch (error) {
      if (!isUniqueViolation(error, 'result_files_name_key')) throw error
    }
  }
}

function jobRecord(job: EndedJob): JobRecord {
  return {
    type: 'job',
    t: job.createdAt.toISOString(),
    job_id: job.id,
    user_id: job.handle,
    competition_id: job.competitionId,
    project_id: job.projectId,
    name: job.name,
    attempt: job.attempt,
    spec: publicSpec(storedSpecSchema.parse(job.spec)),
    command: job.command,
    environment: job.environment,
    image: job.image,
    image_digest: job.imageDigest,
    node: job.node,
    gpus: job.gpus,
    created_at: job.createdAt.toISOString(),
  }
}

function exitRecord(job: EndedJob): ExitRecord {
  return {
    type: 'exit',
    t: job.endedAt.toISOString(),
    status: job.status,
    reason: job.reason,
    reason_text: [describeReason(job.reason), job.reasonDetail].filter(Boolean).join(' '),
    exit_code: job.exitCode,
    started_at: job.startedAt?.toISOString() ?? null,
    ended_at: job.endedAt.toISOString(),
  }
}

async function* concat(first: Buffer, middle: AsyncIterable<Buffer>, last: Buffer): AsyncGenerator<Buffer> {
  yield first
  yield* middle
  yield last
}

/**
 * The chunks of the job's last attempt.
 * @throws when they are not all there: another process has stored the result in the meantime.
 */
async function* readWholeOutput(job: EndedJob): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const records of readChunks(job.id, job.attempt, 0)) {
    bytes += records.length
    yield records
  }
  if (bytes !== job.outputBytes) {
    throw new Error(`The output of job ${job.id} has ${job.outputBytes} bytes, but ${bytes} were found.`)
  }
}

/** Rows fetched at once: each holds a mebibyte at most. */
const chunksAtOnce = 16

/** The chunks of one attempt's output from a byte on: whole records, if `from` is where one begins. */
async function* readChunks(jobId: string, attempt: number, from: number): AsyncGenerator<Buffer> {
  for (let start = from; ; ) {
    const { rows } = await database().pool.query<{ start: number; records: Buffer }>({
      name: 'read-chunks',
      text: `SELECT c.start, c.records FROM log_chunks c JOIN tasks t ON t.id = c.task_id
              WHERE t.job_id = $1 AND t.attempt = $2 AND t.rank = 0 AND c.start >= $3 ORDER BY c.start LIMIT ${chunksAtOnce}`,
      values: [jobId, attempt, start],
    })
    for (const row of rows) {
      start = row.start + row.records.length
      yield row.records
    }
    if (rows.length < chunksAtOnce) return
  }
}

/** Where the chunk begins that has the last but `bytes` of an attempt's output, while it is in chunks; else 0. */
export async function startOfTail(jobId: string, attempt: number, bytes: number): Promise<number> {
  const { rows } = await database().pool.query<{ start: number | null }>({
    name: 'start-of-tail',
    text: `SELECT max(c.start)::int8 AS start FROM log_chunks c JOIN tasks t ON t.id = c.task_id
            WHERE t.job_id = $1 AND t.attempt = $2 AND t.rank = 0 AND c.start <= t.output_bytes - $3`,
    values: [jobId, attempt, bytes],
  })
  return rows[0]?.start ?? 0
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

/**
 * All that is stored of an attempt's output from a byte on, from the chunks or the file. The chunks go in the moment
 * the file is there, so it is looked for after them: nothing falls in between.
 */
export async function* readOutput(jobId: string, attempt: number, from: number): AsyncGenerator<Buffer> {
  let position = from
  for await (const records of readChunks(jobId, attempt, from)) {
    position += records.length
    yield records
  }
  const file = await findResultFile(jobId)
  if (!file || position >= file.outputBytes) return
  const { stream } = await storage().open(resultKey(file.name), { start: file.outputStart + position })
  let left = file.outputBytes - position
  for await (const part of stream as AsyncIterable<Buffer>) {
    yield part.subarray(0, left)
    left -= part.length
    if (left <= 0) break
  }
}
