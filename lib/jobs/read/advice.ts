import { stripVTControlCharacters } from 'node:util'
import type { Actor } from '../../access/actor'
import { listEnvironments } from '../../access/environments'
import { readSpec } from '../../contract/config/stored-spec'
import type { Advice } from '../../contract/failure/advice'
import { adviseEnd } from '../../contract/failure/advise-end'
import { findFailedInstance } from '../../contract/failure/find-failed-instance'
import type { JobDetail } from '../../contract/jobs'
import { database } from '../../database/client'
import { findRow, oneRow } from '../../database/transaction'
import { plainTextOf } from '../../results/decode'
import type { OutputReader } from '../../results/reading/output-reader'
import { readOutput } from '../../results/reading/read-output'
import { findObstacle } from '../submission/never-fits'
import { readServerLimits } from './server-limits'

/** As much of the end of an output as a traceback and its causes need. */
const keptBytes = 128 * 1024

/** Adds what to change so that a failed job can succeed or a waiting one can start, as its page and `gpuq` say. */
export async function withAdvice<Job extends JobDetail>(
  actor: Actor,
  reader: OutputReader,
  job: Job,
): Promise<Job & { advice: Advice | null; nearest: Nearest | null }> {
  const byProgram = job.status === 'failed' && job.reason === 'exit_code'
  const lines = byProgram ? await readLastLines(reader, job) : []
  const advice = await adviseEnd(job, lines, {
    environments: () => listEnvironments(actor),
    limits: () => readServerLimits(actor, job),
  })
  return { ...job, advice, nearest: await findNearest(job) }
}

type Nearest = NonNullable<JobDetail['nearest']>

/** The nearest request that fits; null also for a job that can start. */
async function findNearest({
  job_id,
  status,
  reason,
  slurm,
  expected_time,
  project_id,
}: JobDetail): Promise<Nearest | null> {
  if (status !== 'pending' || (reason !== 'never_fits' && slurm === null)) return null
  const { pool } = database()
  const { userId, spec } = await oneRow<{ userId: string; spec: unknown }>(pool, {
    text: 'SELECT user_id AS "userId", spec FROM jobs WHERE id = $1',
    values: [job_id],
  })
  const config = { ...readSpec(spec), expected_time, project_id }
  return (await findObstacle(pool, { userId, onlyProject: null }, config))?.nearest ?? null
}

/** The last lines of the instance that failed first. Deleted output has none. */
async function readLastLines(
  reader: OutputReader,
  { job_id, attempt, resources }: JobDetail,
): Promise<string[]> {
  const rank = findFailedInstance(resources)?.rank ?? 0
  const task = await findRow<{ bytes: number }>(database().pool, {
    name: 'output-bytes-of-rank',
    text: 'SELECT output_bytes::int8 AS bytes FROM tasks WHERE job_id = $1 AND attempt = $2 AND rank = $3',
    values: [job_id, attempt, rank],
  })
  const from = Math.max(0, (task?.bytes ?? 0) - keptBytes)
  const parts: Buffer[] = []
  for await (const records of readOutput(reader, job_id, attempt, from, rank)) parts.push(records)
  const read = Buffer.concat(parts)
  // The first record is not whole.
  const records = from === 0 ? read : read.subarray(read.indexOf(0x0a) + 1)
  const text = linesOf(records)
    .map((record) => plainTextOf(record))
    .join('')
  return stripVTControlCharacters(text).split('\n')
}

function linesOf(records: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let start = 0
  for (let end = records.indexOf(0x0a); end !== -1; end = records.indexOf(0x0a, start)) {
    lines.push(records.subarray(start, end))
    start = end + 1
  }
  return lines
}
