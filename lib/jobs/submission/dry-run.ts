import type { Actor } from '../../access/actor'
import { findEnvironment } from '../../access/environments'
import type { EffectiveLimits, Limits } from '../../access/limits'
import { limitsOf } from '../../access/limits'
import { readEffectiveLimits } from '../../access/role-limits'
import { describeToCreate } from '../../contract/access/project-kinds'
import type { StoredSpec } from '../../contract/config/stored-spec'
import { parseSpec, type Unparsed } from '../../contract/config/stored-spec'
import { oneRow, undoneTransaction } from '../../database/transaction'
import { checkRequest, type JobRequest } from './check-request'
import { countJobs, type JobCounts } from './count-jobs'
import { decide, type SubmitOptions, throwConflict } from './decide'
import { checkDirectory } from './uploaded-directory'

/** A job as it would be stored. */
export interface TriedJob {
  id: string
  userId: string
  projectId: string
  /** Null: a session submits it. */
  tokenId: string | null
  project: string
  environment: string
  name: string | null
  priority: number
  spec: StoredSpec
  contentHash: string | null
  estimateMs: number
  timeLimitS: number
  /** The jobs and groups that it waits for. */
  waitsFor: string[]
  /** Says for what it waits; null: for nothing. */
  waitDetail: string | null
  /** The GPU hours that a person must approve before it starts; null: nobody must. */
  hoursToApprove: number | null
  createdAt: Date
}

/** What a submission would have done. */
export interface Tried {
  job: TriedJob
  limits: EffectiveLimits
  /** With this job. */
  counts: JobCounts
  /** Says that the submission would create a project; null: it would not. */
  projectNote: string | null
}

/**
 * Takes the steps of `accept` up to the insertion, and undoes it.
 * @throws the error of the submission.
 */
export async function tryJob(
  actor: Actor,
  request: JobRequest,
  { uniqueName = false }: Pick<SubmitOptions, 'uniqueName'> = {},
): Promise<Tried> {
  const { user, directory } = request
  const checked = await checkDirectory(await checkRequest(actor, request, true), directory)
  const submission = { ...checked, idempotencyKey: null }
  const { config } = submission
  const environment = await findEnvironment(config.environment ?? null)
  try {
    return await undoneTransaction(async (tx) => {
      const { jobId, projectNote } = await decide(tx, { actor, user, environment, submission, uniqueName })
      const row = await oneRow<Unparsed<TriedJob & { limits: Limits }>>(tx, {
        text: `SELECT j.id, j.user_id AS "userId", j.project_id AS "projectId", j.token_id AS "tokenId", p.slug AS project, j.name, j.priority, j.spec,
                      e.name AS environment, encode(j.content_hash, 'hex') AS "contentHash", j.expected_time_s * 1000 AS "estimateMs",
                      j.time_limit_s AS "timeLimitS", j.created_at AS "createdAt", ${limitsOf('p')},
                      ARRAY(SELECT d.depends_on::text FROM job_dependencies d WHERE d.job_id = j.id ORDER BY d.depends_on) AS "waitsFor",
                      CASE WHEN j.reason = 'dependency' THEN j.reason_detail END AS "waitDetail",
                      (SELECT a.gpu_hours FROM approval_requests a WHERE a.job_id = j.id) AS "hoursToApprove"
                 FROM jobs j JOIN projects p ON p.id = j.project_id JOIN environments e ON e.id = j.environment_id
                WHERE j.id = $1`,
        values: [jobId],
      })
      const { limits: ofProject, ...job } = parseSpec(row)
      const limits = await readEffectiveLimits(tx, actor, ofProject)
      const created = projectNote === undefined ? null : describeToCreate(config.project_id)
      return { job, limits, counts: await countJobs(tx, job.userId), projectNote: created }
    })
  } catch (error) {
    return throwConflict(actor, submission, error)
  }
}
