import type { Actor } from '../../access/actor'
import { configToYaml } from '../../contract/config/config'
import { parseSpec, readSpec, type StoredSpec, type Unparsed } from '../../contract/config/stored-spec'
import type { JobDetail, JobResult, JobSource, RankResult } from '../../contract/jobs'
import { reasonText } from '../../contract/reasons'
import { database } from '../../database/client'
import { collectOutput } from '../../results/decode'
import { countRanks, readOutput } from '../../results/read-output'
import { findVisibleJob } from './job-visibility'
import { type JobRow, summaryColumns, summaryJoins, toSummary } from './list'
import { instancesOfJob, toResources } from './resources'
import { type NoticeRow, toNotice } from './to-notice'

interface DetailRow extends JobRow, NoticeRow {
  reason_detail: string | null
  attempt: number
  max_retries: number
  time_limit_s: number
  spec: StoredSpec
  node_name: string | null
  gpus: JobDetail['gpus']
  instances: unknown
  cancel_requested: boolean
  output_bytes: number
  result_file: string | null
  deleted_after_days: number | null
  command: string | null
  run_id: string | null
  run_name: string | null
  archive: JobDetail['archive']
  provision: JobDetail['provision']
  priority: number
}

const selectDetail = `
  SELECT ${summaryColumns}, j.reason_detail, j.attempt, j.max_retries, j.time_limit_s, j.spec, j.command,
         j.run_id, j.run_name, j.deleted_after_days, j.priority, n.name AS node_name,
         coalesce((SELECT jsonb_agg(jsonb_build_object('uuid', g.uuid, 'index', g.index, 'model', g.model,
                                    'simulated', g.simulated, 'milli', a.milli) ORDER BY g.index)
                     FROM allocations a JOIN gpus g ON g.id = a.gpu_id WHERE a.task_id = t.id), '[]') AS gpus,
         ${instancesOfJob} AS instances,
         j.cancel_requested_at IS NOT NULL AND j.ended_at IS NULL AS cancel_requested,
         (SELECT coalesce(sum(o.output_bytes), 0)::int8 FROM tasks o
           WHERE o.job_id = j.id AND o.attempt = j.attempt) AS output_bytes,
         (SELECT jsonb_build_object('files', a.files, 'bytes', a.bytes) FROM archives a WHERE a.id = j.archive_id) AS archive,
         (SELECT jsonb_build_object('status', v.status, 'problem', v.problem, 'output', v.output)
            FROM provisions v WHERE v.job_id = j.id) AS provision,
         o.attempts AS notice_attempts, o.next_try_at AS notice_next_try_at, o.settled_at AS notice_settled_at,
         o.problem AS notice_problem,
         CASE WHEN f.stored_at IS NOT NULL THEN f.name END AS result_file
    FROM jobs j ${summaryJoins}
    LEFT JOIN tasks t ON t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0
    LEFT JOIN nodes n ON n.id = t.node_id
    LEFT JOIN result_files f ON f.job_id = j.id
    LEFT JOIN job_notifications o ON o.job_id = j.id
   WHERE j.id = $1`

async function readDetailRow(jobId: string): Promise<DetailRow> {
  const { rows } = await database().pool.query<Unparsed<DetailRow>>({
    name: 'job-detail',
    text: selectDetail,
    values: [jobId],
  })
  const [row] = rows
  if (!row) throw new Error(`job ${jobId} vanished`)
  return parseSpec(row)
}

/** Everything about one job, for whoever may see it. */
export async function readJob(actor: Actor, jobId: string): Promise<JobDetail> {
  const { id } = await findVisibleJob(actor, jobId)
  return readJobDetail(id)
}

/** The detail of a job whose visibility was proven before. */
export async function readJobDetail(jobId: string): Promise<JobDetail> {
  const row = await readDetailRow(jobId)
  return {
    ...toSummary(row),
    reason_text: reasonText(row),
    placed: row.status === 'scheduled' || row.status === 'running',
    attempt: row.attempt,
    max_retries: row.max_retries,
    max_time: row.time_limit_s,
    node_name: row.node_name,
    gpus: row.gpus,
    resources: toResources(row.spec, row.instances),
    cancel_requested: row.cancel_requested,
    result_file: row.result_file,
    deleted_after_days: row.deleted_after_days,
    output_bytes: row.output_bytes,
    tags: row.spec.tags,
    command: row.command,
    run_id: row.run_id,
    run_name: row.run_name,
    archive: row.archive,
    priority: row.priority,
    provision: row.provision,
    notice: toNotice(row),
  }
}

/** What an answer may hold of each stream; the whole is there for download. */
const answerBytes = 10 * 1024 * 1024

/** The job as it stands, with what it printed so far. */
export async function readResult(jobId: string): Promise<JobResult> {
  const row = await readDetailRow(jobId)
  const ranks = await readRankResults(jobId, row.attempt)
  const [{ stdout, stderr, results, truncated } = nothingPrinted] = ranks
  return {
    job_id: row.id,
    status: toSummary(row).status,
    reason: row.reason,
    reason_text: reasonText(row),
    stdout,
    stderr,
    exit_code: row.exit_code,
    results,
    result_file: row.result_file,
    truncated,
    ...(ranks.length > 1 ? { ranks } : {}),
  }
}

const nothingPrinted: Omit<RankResult, 'rank'> = { stdout: '', stderr: '', results: [], truncated: false }

/** What each task of an attempt printed; all of them together are no longer than what one may be. */
async function readRankResults(jobId: string, attempt: number): Promise<RankResult[]> {
  const count = await countRanks(jobId, attempt)
  const maxBytes = Math.floor(answerBytes / Math.max(1, count))
  const ranks: RankResult[] = []
  for (let rank = 0; rank < count; rank++) {
    ranks.push({ rank, ...(await collectOutput(readOutput(jobId, attempt, 0, rank), { maxBytes })) })
  }
  return ranks
}

/** What there is of a job at the moment it is accepted. */
export function acceptedResult(jobId: string): JobResult {
  return {
    job_id: jobId,
    status: 'pending',
    reason: null,
    reason_text: null,
    stdout: '',
    stderr: '',
    exit_code: null,
    results: [],
    result_file: null,
    truncated: false,
  }
}

/** What was submitted, without the token, so that it can be submitted again. */
export async function readSource(actor: Actor, jobId: string): Promise<JobSource> {
  const { id } = await findVisibleJob(actor, jobId)
  const { code, spec, command } = await database().prisma.job.findUniqueOrThrow({
    where: { id },
    select: { code: true, spec: true, command: true },
  })
  return { code: Buffer.from(code).toString('utf8'), config: configToYaml(readSpec(spec), command), command }
}
