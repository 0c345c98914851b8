import { parseSpec, publicSpec, type StoredSpec, type Unparsed } from '../contract/config/stored-spec'
import type { ExitRecord, JobRecord } from '../contract/output/records'
import { describeReason, type EndReason } from '../contract/reasons'
import { database } from '../database/client'
import { channels } from '../database/listen'
import { findRow, isUniqueViolation, oneRow, transaction } from '../database/transaction'
import { storage } from '../storage/storage'
import { StorageFault } from '../storage/store'
import { metricsOfJob } from './metrics'
import { resultFileName, resultKey } from './name'
import { readChunks } from './reading/read-chunks'

interface EndedJob {
  id: string
  handle: string
  competitionId: string
  projectId: string
  name: string | null
  attempt: number
  spec: StoredSpec
  command: string | null
  environment: string
  image: string
  imageDigest: string | null
  /** The node of each rank; empty if the job was never placed. */
  instances: NonNullable<JobRecord['instances']>
  status: ExitRecord['status']
  reason: EndReason
  reasonDetail: string | null
  exitCode: number | null
  outputBytes: number
  createdAt: Date
  startedAt: Date | null
  endedAt: Date
}

/** Returns the ids of ended jobs whose output is not yet a file, oldest first. */
export async function jobsWithoutResult(limit: number): Promise<string[]> {
  const { rows } = await database().pool.query<{ id: string }>({
    name: 'jobs-without-result',
    // A task that still runs after the job's result was decided may still print.
    text: `SELECT j.id FROM jobs j WHERE j.status IN ('completed', 'failed', 'cancelled') AND NOT j.result_stored
              AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.job_id = j.id AND t.status IN ('scheduled', 'starting', 'running'))
            ORDER BY j.ended_at LIMIT $1`,
    values: [limit],
  })
  return rows.map(({ id }) => id)
}

/**
 * Stores the output of an ended job as a file, then deletes its chunks. Safe to repeat after a crash, and safe
 * beside another process that does the same, for example a former leader. The file gets its name only when it is
 * complete, so any existing file is correct, and chunks are deleted only afterwards.
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
    // On a disk without hard links, a crash right after reserving the name leaves this empty file.
    await store.remove(key)
    return write()
  })
  await transaction(async (tx) => {
    await tx.query(
      `UPDATE result_files SET output_start = $2, output_bytes = $3, bytes = $4, sha256 = $5, stored_at = now() WHERE job_id = $1`,
      [jobId, first.length, stored.bytes - first.length - last.length, stored.bytes, stored.sha256],
    )
    await tx.query(
      `UPDATE jobs j SET result_stored = true, final_metrics = coalesce((${metricsOfJob}), '{}') WHERE id = $1`,
      [jobId],
    )
    // Deletes unread terminal input together with the chunks.
    for (const table of ['log_chunks', 'terminal_inputs']) {
      await tx.query(`DELETE FROM ${table} WHERE task_id IN (SELECT id FROM tasks WHERE job_id = $1)`, [
        jobId,
      ])
    }
    await tx.query('SELECT pg_notify($1, $2)', [channels.job, jobId])
  })
}

async function readEndedJob(jobId: string): Promise<EndedJob | null> {
  const job = await findRow<Unparsed<EndedJob>>(database().pool, {
    name: 'read-ended-job',
    text: `SELECT j.id, u.handle, j.competition_id AS "competitionId", p.slug AS "projectId", j.name, j.attempt, j.spec, j.command,
                  e.name AS environment, e.image, j.image_digest AS "imageDigest",
                  coalesce((SELECT jsonb_agg(jsonb_build_object('rank', t.rank, 'node', n.name, 'gpus', coalesce(
                              (SELECT jsonb_agg(jsonb_build_object('uuid', g.uuid, 'index', g.index, 'model', g.model,
                                                'simulated', g.simulated, 'milli', a.milli) ORDER BY g.index)
                                 FROM allocations a JOIN gpus g ON g.id = a.gpu_id WHERE a.task_id = t.id), '[]')
                            ) ORDER BY t.rank)
                              FROM tasks t JOIN nodes n ON n.id = t.node_id
                             WHERE t.job_id = j.id AND t.attempt = j.attempt), '[]') AS instances,
                  j.status, j.reason, j.reason_detail AS "reasonDetail", j.exit_code AS "exitCode",
                  (SELECT coalesce(sum(t.output_bytes), 0)::int8 FROM tasks t
                    WHERE t.job_id = j.id AND t.attempt = j.attempt) AS "outputBytes",
                  j.created_at AS "createdAt", j.started_at AS "startedAt", j.ended_at AS "endedAt"
             FROM jobs j JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id
             JOIN environments e ON e.id = j.environment_id
            WHERE j.id = $1 AND j.status IN ('completed', 'failed', 'cancelled') AND NOT j.result_stored`,
    values: [jobId],
  })
  return job && parseSpec(job)
}

/** Two jobs of one millisecond would share a name; the later one uses the next free millisecond. */
async function reserveName(job: EndedJob): Promise<string> {
  for (let later = 0; ; later++) {
    const name = resultFileName(job.handle, job.competitionId, new Date(job.endedAt.getTime() + later))
    try {
      const reserved = await oneRow<{ name: string }>(
        database().pool,
        `INSERT INTO result_files (job_id, name) VALUES ($1, $2)
         ON CONFLICT (job_id) DO UPDATE SET name = result_files.name RETURNING name`,
        [job.id, name],
      )
      return reserved.name
    } catch (error) {
      if (!isUniqueViolation(error, 'result_files_name_key')) throw error
    }
  }
}

function jobRecord(job: EndedJob): JobRecord {
  const [first] = job.instances
  return {
    type: 'job',
    t: job.createdAt.toISOString(),
    job_id: job.id,
    user_id: job.handle,
    competition_id: job.competitionId,
    project_id: job.projectId,
    name: job.name,
    attempt: job.attempt,
    spec: publicSpec(job.spec),
    command: job.command,
    environment: job.environment,
    image: job.image,
    image_digest: job.imageDigest,
    node: first?.node ?? null,
    gpus: first?.gpus ?? [],
    ...(job.instances.length > 1 ? { instances: job.instances } : {}),
    created_at: job.createdAt.toISOString(),
  }
}

function exitRecord(job: EndedJob): ExitRecord {
  return {
    type: 'exit',
    t: job.endedAt.toISOString(),
    status: job.status,
    reason: job.reason,
    reason_text: describeReason(job.reason, job.reasonDetail),
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
 * Reads the chunks of the job's last attempt, rank after rank.
 * @throws if some are missing because another process has stored the result in the meantime.
 */
async function* readWholeOutput(job: EndedJob): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const { records } of readChunks(job.id, job.attempt)) {
    bytes += records.length
    yield records
  }
  if (bytes !== job.outputBytes) {
    throw new Error(
      `The output of job ${job.id} has ${job.outputBytes} bytes, but ${bytes} were found. Another process may have stored it already.`,
    )
  }
}
