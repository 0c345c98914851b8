import type { JobDetail } from '../contract/jobs'
import { describeReason, type EndReason, endReasons } from '../contract/reasons'
import { isFinal } from '../contract/status'
import { type SharedFacts, sharedFactsSchema } from './contract'

/**
 * The facts of a job that everyone with a link may see. Each one is named here, so that a new fact of a job is not shared by
 * itself.
 */
export function toSharedFacts(job: JobDetail): SharedFacts {
  const gpus = job.resources.got.flatMap((instance) => instance.gpus)
  return sharedFactsSchema.parse({
    name: job.name,
    owner: job.user_name ?? job.user_id,
    competition_id: job.competition_id,
    project_id: job.project_id,
    environment: job.environment,
    status: job.status,
    reason_text: endReasonOf(job),
    exit_code: job.exit_code,
    created_at: job.created_at,
    started_at: job.started_at,
    completed_at: job.completed_at,
    files_deleted: job.files_deleted,
    gpus: gpus.map(({ model, simulated, share }) => ({ model, simulated, share })),
  })
}

/**
 * Only the sentence of the reason. Its details name nodes, directories and other jobs, and may be an admin's note. Why a job
 * waits depends on other people's jobs and on the limits of its project.
 */
function endReasonOf({ status, reason }: JobDetail): string | null {
  return reason !== null && isFinal(status) && Object.hasOwn(endReasons, reason)
    ? describeReason(reason as EndReason)
    : null
}
