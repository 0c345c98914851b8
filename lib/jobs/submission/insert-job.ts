import { uuidv7 } from 'uuidv7'
import type { JobEnvironment } from '../../access/environments'
import { requireWorkspaceUser } from '../../access/users/workspace-user'
import { configForRecord, type JobConfig, timeLimitSeconds } from '../../contract/config/config'
import type { Transaction } from '../../database/transaction'
import { refuseSharedDirectory, requestApproval } from '../config/agent-limits'
import { findWait, insertDependencies, type Wait } from '../dependencies/find-dependencies'
import { submissionChecks } from '../features'
import { type NewJob, submitJobs } from '../state/submit'
import { contentHash } from './content-hash'
import type { JobOwner } from './job-owner'
import { resolveRun } from './resolve-run'
import { findArchive } from './submission-archive'
import {
  insertMounts,
  type ResolvedMount,
  referencesOf,
  requireApart,
  resolveMounts,
} from './submission-mounts'

export interface Submission {
  /** solution.py; empty if the job runs a command or a file of its directory. */
  code: Buffer
  /** `run_id` of the queue API. */
  runId: string | null
  config: JobConfig
  /** SHA-256 of the request. */
  bodyHash: Buffer
  /** Repeated submissions with the same key are one job. */
  idempotencyKey: string | null
  /** The request gives no time: the job may run as long as its limits permit. */
  timeAssumed?: boolean
  /** Its group waits, or has waited, for what the config depends on. */
  groupWaits?: boolean
}

/** What a job reads, as it was found in the database. */
interface JobInput {
  /** The hash of its directory. */
  archive: string | undefined
  mounts: readonly ResolvedMount[]
}

/**
 * Identifies jobs that run the same program with the same input. Two names of a directory are the same content, and two
 * versions of a snapshot are not.
 */
export function hashOf(
  { name }: JobEnvironment,
  { code, config }: Submission,
  { archive, mounts }: JobInput,
): Buffer {
  return contentHash({ ...config, code, environment: name, archive, mounts })
}

/** A job that can be inserted. */
export interface JobRow extends NewJob {
  mounts: readonly ResolvedMount[]
  /** What must end first; null: nothing. */
  wait: Wait | null
  /** The GPU hours that a person must approve; null: nobody must. */
  hoursToApprove: number | null
}

/** Finds what a job needs. @throws 422 for a directory, a snapshot or a job that it cannot use. */
export async function prepareJob(
  tx: Transaction,
  owner: JobOwner,
  environment: JobEnvironment,
  submission: Submission,
  ceilingS: number,
  pathsOf?: (archiveId: string) => Promise<string[]>,
): Promise<Omit<JobRow, 'hoursToApprove'>> {
  const { projectId } = owner
  const { code, config } = submission
  const workspace = await requireWorkspaceUser(tx, owner)
  if (workspace !== null) refuseSharedDirectory(workspace, owner.restriction)
  const { directory, entrypoint } = await findArchive(tx, owner, config, code.length > 0, pathsOf)
  const mounts = await resolveMounts(tx, projectId, config)
  for (const check of submissionChecks) await check(tx, owner, config)
  requireApart(mounts, workspace, config.working_directory)
  // With the versions of snapshots, so that later ones do not change the job.
  const found = { entrypoint, archive: directory?.reference, mounts: referencesOf(mounts) }
  const id = uuidv7()
  return {
    id,
    user_id: owner.userId,
    project_id: projectId,
    environment_id: environment.id,
    competition_id: config.competition_id,
    name: config.name,
    spec: JSON.stringify(configForRecord({ ...config, ...found })),
    code,
    priority: config.priority,
    max_retries: config.max_retries,
    expected_time_s: config.expected_time,
    time_limit_s: Math.ceil(timeLimitSeconds(config, ceilingS)),
    command: config.command,
    run_id: submission.runId,
    content_hash: hashOf(environment, submission, { archive: directory?.hash, mounts }),
    archive_id: directory?.id,
    token_id: owner.tokenId,
    group_id: null,
    named_run_id: config.run_name === undefined ? null : await resolveRun(tx, owner, config.run_name),
    workspace,
    note: config.note || null,
    tags: JSON.stringify([...new Set(config.tags)]),
    caller_id: owner.callerId,
    key: submission.idempotencyKey,
    body_hash: submission.bodyHash,
    mounts,
    wait: submission.groupWaits ? null : await findWait(tx, owner, config),
  }
}

/** Inserts jobs with what belongs to them. */
export async function insertJobs(tx: Transaction, jobs: readonly JobRow[]): Promise<void> {
  await submitJobs(tx, jobs)
  for (const { id, mounts, wait, hoursToApprove: gpuHours } of jobs) {
    await insertMounts(tx, id, mounts)
    await insertDependencies(tx, id, wait)
    if (gpuHours !== null) await requestApproval(tx, { jobId: id, gpuHours })
  }
}
