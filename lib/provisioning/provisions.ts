import { z } from 'zod'
import { jobStatuses } from '../contract/status'
import { database } from '../database/client'
import { transaction } from '../database/transaction'
import { notifyLeader, notifyWatchers } from '../jobs/state/announce'
import { finishWaiting } from '../jobs/state/finish'

const provisionSchema = z.object({
  jobId: z.string(),
  status: z.enum(['starting', 'up', 'ending', 'ended']),
  /** Environment variables that describe the job to the commands. */
  request: z.record(z.string().regex(/^GPUQ_PROVISION_[A-Z_]+$/), z.string()),
  term: z.string().nullable(),
  /** How often the nodes were provisioned. */
  round: z.number(),
  /** Whether the deadline for the nodes has passed. */
  overdue: z.boolean(),
  /** Null: the job no longer exists. */
  jobStatus: z.enum(jobStatuses).nullable(),
  /** The job's attempt; 0 before the first. */
  attempt: z.number(),
  /** Its live nodes, and the number it needs. */
  nodes: z.number(),
  wanted: z.number(),
})

/** Nodes provisioned for one job, as managed by the leader. */
export type Provision = z.output<typeof provisionSchema>

/** Only the last characters of the output are kept. */
const maxOutputCharacters = 32_768

/**
 * Records the waiting jobs that request their own nodes and have none yet, except those that are held: a person may still
 * refuse what they cost. Each record must later be removed with
 * {@link endProvision}.
 */
export async function recordProvisions(term: string, deadlineS: number): Promise<void> {
  await database().pool.query({
    name: 'record-provisions',
    text: `INSERT INTO provisions (job_id, term, deadline_at, request)
           SELECT j.id, $1, now() + make_interval(secs => $2), jsonb_strip_nulls(jsonb_build_object(
                    'GPUQ_PROVISION_JOB', j.id::text, 'GPUQ_PROVISION_NODES', coalesce(j.spec->>'instance_count', '1'),
                    'GPUQ_PROVISION_GPUS_PER_NODE', coalesce(j.spec->>'gpu_count', '1'),
                    'GPUQ_PROVISION_GPU_MODEL', j.spec->>'gpu_model', 'GPUQ_PROVISION_GPU_MEMORY_GB', j.spec->>'gpu_memory_gb',
                    'GPUQ_PROVISION_CPU', j.spec->>'cpu', 'GPUQ_PROVISION_MEMORY_GB', j.spec->>'memory_gb',
                    'GPUQ_PROVISION_POOL', coalesce(j.spec->>'pool', 'on-demand'),
                    'GPUQ_PROVISION_ARGS', (SELECT string_agg(arg, E'\\n' ORDER BY position)
                      FROM jsonb_array_elements_text(j.spec->'provision_args') WITH ORDINALITY AS args(arg, position)),
                    'GPUQ_PROVISION_RUN_NAME', j.spec->>'run_name', 'GPUQ_PROVISION_USER', u.handle, 'GPUQ_PROVISION_PROJECT', p.slug))
             FROM jobs j JOIN users u ON u.id = j.user_id JOIN projects p ON p.id = j.project_id
            WHERE j.status = 'pending' AND NOT j.held AND j.spec->'fresh_nodes' = 'true' AND j.cancel_requested_at IS NULL
              AND NOT EXISTS (SELECT 1 FROM provisions WHERE job_id = j.id)
           ON CONFLICT (job_id) DO NOTHING`,
    values: [term, deadlineS],
  })
}

/** Reads all provisions that have not ended. */
export async function readProvisions(): Promise<Provision[]> {
  const { rows } = await database().pool.query<z.input<typeof provisionSchema>>({
    name: 'read-provisions',
    text: `SELECT v.job_id AS "jobId", v.status::text, v.request, v.term, v.round, v.deadline_at < now() AS overdue,
                  j.status::text AS "jobStatus", coalesce(j.attempt, 0) AS attempt,
                  coalesce((j.spec->>'instance_count')::int, 1) AS wanted,
                  (SELECT count(*)::int FROM nodes n WHERE n.dedicated_to = v.job_id AND n.lease_expires_at > now()
                      AND n.status IN ('ready', 'draining')) AS nodes
             FROM provisions v LEFT JOIN jobs j ON j.id = v.job_id
            WHERE v.status <> 'ended' ORDER BY v.created_at`,
  })
  return z.array(provisionSchema).parse(rows)
}

/**
 * Changes the status. Returns false if the provision is no longer in one of `from`.
 * @param deadlineS seconds until a new deadline; also starts a new round.
 */
export async function setProvisionStatus(
  jobId: string,
  from: readonly Provision['status'][],
  to: Provision['status'],
  { term = null, deadlineS = null }: { term?: string | null; deadlineS?: number | null } = {},
): Promise<boolean> {
  const { rowCount } = await database().pool.query({
    name: 'set-provision-status',
    text: `UPDATE provisions SET status = $3::"ProvisionStatus", term = coalesce($4, term),
                  deadline_at = coalesce(now() + make_interval(secs => $5), deadline_at),
                  round = round + CASE WHEN $5::float8 IS NULL THEN 0 ELSE 1 END,
                  ended_at = CASE WHEN $3 = 'ended' THEN now() END
            WHERE job_id = $1 AND status = ANY ($2::"ProvisionStatus"[])
           RETURNING ${notifyLeader('job_id')}`,
    values: [jobId, from, to, term, deadlineS],
  })
  return rowCount === 1
}

/**
 * Fails a waiting job whose nodes could not be provisioned, and schedules the removal of its nodes. Does nothing to
 * a job that got its nodes after all.
 */
export async function failProvision(jobId: string, problem: string): Promise<void> {
  await transaction(async (tx) => {
    await finishWaiting(tx, jobId, { reason: 'not_provisioned', detail: problem, exitCode: null })
    await tx.query(
      `UPDATE provisions SET problem = $2, status = CASE WHEN EXISTS (
                SELECT 1 FROM jobs WHERE id = $1 AND status IN ('scheduled', 'running')) THEN 'up' ELSE 'ending' END::"ProvisionStatus"
        WHERE job_id = $1 AND status IN ('starting', 'up') RETURNING ${notifyLeader('job_id')}`,
      [jobId, problem],
    )
  })
}

/**
 * Ends a provision after its nodes were removed. If the job still waits because a command was interrupted, the next
 * check records it again.
 */
export async function endProvision(jobId: string): Promise<void> {
  await database().pool.query(
    `WITH forgotten AS (
       DELETE FROM provisions USING jobs
        WHERE provisions.job_id = $1 AND provisions.status = 'ending' AND jobs.id = $1 AND jobs.status = 'pending'
       RETURNING provisions.job_id
     ), ended AS (
       UPDATE provisions SET status = 'ended', ended_at = now()
        WHERE job_id = $1 AND status = 'ending' AND NOT EXISTS (SELECT 1 FROM forgotten) RETURNING job_id
     )
     SELECT ${notifyLeader('$1')}`,
    [jobId],
  )
}

/** Appends output of a command and notifies readers. */
export async function appendProvisionOutput(jobId: string, text: string): Promise<void> {
  await database().pool.query(
    `WITH shown AS (UPDATE provisions SET output = right(output || $2, ${maxOutputCharacters}) WHERE job_id = $1 RETURNING job_id)
     SELECT ${notifyWatchers('job_id')} FROM shown`,
    [jobId, text],
  )
}
