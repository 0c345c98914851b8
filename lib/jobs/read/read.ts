import type { Actor } from '../../access/actor'
import { readOwnLimits } from '../../access/role-limits'
import { isArchiveHash } from '../../contract/archives/snapshot-name'
import { configToYaml } from '../../contract/config/config'
import { splitDependencies } from '../../contract/config/depends-on'
import { parseSpec, readSpec, type StoredSpec, type Unparsed } from '../../contract/config/stored-spec'
import { hiddenValue } from '../../contract/config/values'
import type { AddedField } from '../../contract/job-columns'
import { type JobDetail, type JobSource, type JobSummary, jobDetailSchema } from '../../contract/jobs'
import { reasonText } from '../../contract/reasons'
import { toUploadStatus } from '../../contract/status'
import { database } from '../../database/client'
import { keyedTransaction, oneRow } from '../../database/transaction'
import { env } from '../../env'
import { type Prerequisite, readPrerequisites } from '../dependencies/prerequisites'
import { neverFitsEnd } from '../lifecycle/end-never-fitting'
import { idleJobs } from '../lifecycle/stop-idle'
import { findVisibleJob, mayChange } from './job-visibility'
import { followersOf, type SummaryRow, submittedWith, summaryColumns, summaryJoins, toSummary } from './list'
import { instancesOfJob, toResources } from './resources'
import { toJobBucket, type UploadRow } from './to-job-bucket'
import { type NoticeRow, toNotice } from './to-notice'

type DerivedKey =
  | 'depends_on'
  | 'parent'
  | 'hypothesis'
  | 'reason_text'
  | 'placed'
  | 'resources'
  | 'snapshot'
  | 'notice'
  | 'bucket'

/** A row of {@link selectDetail}: the columns of the API, and those from which the other keys are derived. */
interface DetailRow
  extends Omit<SummaryRow, AddedField>,
    NoticeRow,
    UploadRow,
    Omit<JobDetail, Exclude<keyof JobSummary, AddedField> | DerivedKey> {
  reason_detail: string | null
  spec: StoredSpec
  instances: unknown
  project_uuid: string
}

const selectDetail = `
  SELECT ${summaryColumns}, j.project_id AS project_uuid, j.reason_detail, j.attempt, j.max_retries, j.time_limit_s AS max_time, j.spec, j.command,
         j.run_id, ${submittedWith}, j.group_id, (SELECT r.name FROM runs r WHERE r.id = j.named_run_id) AS run_name, j.note, ${followersOf('j', '$3')} AS followers, j.files_deleted, j.deleted_after_days,
         coalesce((SELECT jsonb_agg(jsonb_build_object('uuid', g.uuid, 'index', g.index, 'model', g.model,
                                    'simulated', g.simulated, 'milli', a.milli) ORDER BY g.index)
                     FROM allocations a JOIN gpus g ON g.id = a.gpu_id WHERE a.task_id = t.id), '[]') AS gpus,
         ${instancesOfJob} AS instances,
         j.cancel_requested_at IS NOT NULL AND j.cancel_reason IS DISTINCT FROM 'group_paused' AND j.ended_at IS NULL AS cancel_requested,
         (SELECT coalesce(sum(o.output_bytes), 0)::int8 FROM tasks o
           WHERE o.job_id = j.id AND o.attempt = j.attempt) AS output_bytes,
         (SELECT jsonb_build_object('hash', encode(a.hash, 'hex'), 'files', a.files, 'bytes', a.bytes) FROM archives a WHERE a.id = j.archive_id) AS archive,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('path', m.path, 'snapshot', m.name || '@' || m.version) ORDER BY m.path), '[]')
            FROM job_mounts m WHERE m.job_id = j.id) AS mounts,
         (SELECT jsonb_build_object('status', v.status, 'problem', v.problem, 'output', v.output)
            FROM provisions v WHERE v.job_id = j.id) AS provision,
         o.attempts AS notice_attempts, o.next_try_at AS notice_next_try_at, o.settled_at AS notice_settled_at,
         o.problem AS notice_problem,
         w.url AS upload_url, w.attempts AS upload_attempts, w.next_try_at AS upload_next_try_at,
         w.settled_at AS upload_settled_at, w.problem AS upload_problem,
         CASE WHEN j.status = 'running' THEN (SELECT jsonb_build_object('since', rfc3339(since), 'stops_at', rfc3339(stops_at))
            FROM (${idleJobs('t.job_id = j.id')}) i) END AS idle_gpu,
         rfc3339(${neverFitsEnd('$2::int')}) AS never_fits_ends_at,
         (SELECT jsonb_build_object('slurm_id', s.slurm_id, 'state', s.state, 'reason', s.reason, 'held', s.held, 'restarts', s.restarts)
            FROM slurm_jobs s WHERE s.job_id = j.id ORDER BY s.ended_at IS NULL DESC, s.created_at DESC LIMIT 1) AS slurm,
         CASE WHEN f.stored_at IS NOT NULL THEN f.name END AS result_file
    FROM jobs j ${summaryJoins}
    LEFT JOIN tasks t ON t.job_id = j.id AND t.attempt = j.attempt AND t.rank = 0 AND j.status <> 'pending'
    LEFT JOIN result_files f ON f.job_id = j.id
    LEFT JOIN notification_deliveries o ON o.job_id = j.id AND o.target_id IS NULL
    LEFT JOIN job_uploads w ON w.job_id = j.id
   WHERE j.id = $1`

export async function readDetailRow(
  jobId: string,
  restriction: Actor['restriction'] = null,
): Promise<DetailRow> {
  const values = [jobId, env().GPUQ_NEVER_FITS_DAYS, restriction?.agent?.tokenId]
  const query = { name: 'job-detail', text: selectDetail, values }
  return parseSpec(await keyedTransaction((tx) => oneRow<Unparsed<DetailRow>>(tx, query)))
}

/** Reads one job, if the actor may see it. */
export async function readJob(actor: Actor, jobId: string): Promise<JobDetail> {
  const { id } = await findVisibleJob(actor, jobId)
  return readJobDetail(id, actor.restriction)
}

/** Reads a job. The caller has checked that the reader may see it. */
export async function readJobDetail(jobId: string, restriction?: Actor['restriction']): Promise<JobDetail> {
  const row = await readDetailRow(jobId, restriction)
  const detail: JobDetail = {
    ...row,
    ...toSummary(row),
    reason_text: reasonText(row),
    placed: row.status === 'scheduled' || row.status === 'running',
    resources: toResources(row.spec, row.instances),
    parent: row.spec.parent ?? null,
    hypothesis: row.spec.hypothesis ?? null,
    snapshot: snapshotOf(row.spec),
    notice: toNotice(row, row.spec.notify_url !== undefined),
    bucket: toJobBucket(row),
    depends_on: await readDependsOn(row),
  }
  // Removes the columns that only the derived keys need, such as the spec.
  return jobDetailSchema.parse(detail)
}

/** What a job depends on, as it is now, those of Slurm last. */
async function readDependsOn({
  spec,
  project_uuid,
}: Pick<DetailRow, 'spec' | 'project_uuid'>): Promise<JobDetail['depends_on']> {
  const { others, slurmJobs } = splitDependencies(spec.depends_on)
  const known =
    others.length === 0
      ? new Map<string, Prerequisite>()
      : await readPrerequisites(
          database().pool,
          others.map(({ id }) => id),
        )
  const unknown = { group_id: null, name: null, status: null, members: null, ended: null }
  return [
    ...others.map(({ id, when }) => {
      const other = known.get(id)
      if (other === undefined) return { ...unknown, job_id: id, when }
      const { isGroup, name, status, projectId, members, endedMembers: ended } = other
      return {
        job_id: isGroup ? null : id,
        group_id: isGroup ? id : null,
        when,
        name: projectId === project_uuid ? name : null,
        status: toUploadStatus(status),
        members,
        ended,
      }
    }),
    ...slurmJobs.map(({ id, when }) => ({ ...unknown, job_id: `slurm:${id}`, when })),
  ]
}

function snapshotOf({ archive }: StoredSpec): string | null {
  return archive === undefined || isArchiveHash(archive) ? null : archive
}

/**
 * Reads the program and config of a job without the token, so that they can be submitted again. The name, the tags and the priority
 * are the current ones, and the priority is at most what the reader may ask for: an admin may have raised it above that. A manager
 * of the project does not see what may be a secret of the user.
 */
export async function readSource(actor: Actor, jobId: string): Promise<JobSource> {
  const job = await findVisibleJob(actor, jobId)
  const { code, command, asked, project, name, priority, tags } = await readAsked(job.id)
  const { max_priority } = await readOwnLimits(actor, project.slug)
  const current = { name: name ?? undefined, priority: Math.min(priority, max_priority ?? priority), tags }
  const config = { ...asked, ...current }
  return {
    code,
    config: configToYaml(mayChange(actor, job) ? config : withoutSecrets(config), command),
    command,
  }
}

/** Reads the program and the config as they were submitted, for readers who may not see what may be a secret. */
export async function readSourceForOthers(jobId: string): Promise<JobSource> {
  const { code, command, asked } = await readAsked(jobId)
  return { code, config: configToYaml(withoutSecrets(asked), command), command }
}

/** What a job asked for, and the columns that people may have changed since. */
async function readAsked(id: string) {
  const changeable = { name: true, priority: true, tags: true } as const
  const { program, spec, ...columns } = await database().prisma.job.findUniqueOrThrow({
    where: { id },
    select: {
      program: { select: { content: true } },
      spec: true,
      command: true,
      project: { select: { slug: true } },
      ...changeable,
    },
  })
  const code = program === null ? '' : Buffer.from(program.content).toString('utf8')
  return { ...columns, code, asked: readSpec(spec) }
}

/** The values of variables and the address of notifications may be secrets. */
function withoutSecrets({ notify_url: _, ...config }: StoredSpec) {
  return { ...config, env: Object.fromEntries(Object.keys(config.env).map((key) => [key, hiddenValue])) }
}
