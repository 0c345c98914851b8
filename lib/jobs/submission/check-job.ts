import type { JobEnvironment } from '../../access/environments'
import { requireStorageQuota } from '../../access/storage/storage-quota'
import type { JobLimits } from '../../contract/access/limits'
import type { Transaction } from '../../database/transaction'
import { requireFreeSpace } from '../../storage/free-space'
import { hoursToApprove, requireWithinAgentLimits, withAgentLimits } from '../config/agent-limits'
import { readRegisteredNodes } from '../config/registered-nodes'
import { ownerChecks } from '../features'
import { type JobRow, prepareJob, type Submission } from './insert-job'
import { requireWithinJobLimits, timeCeilingS, withAssumedTime } from './job-limits'
import type { JobOwner } from './job-owner'
import { requireCanStart } from './never-fits'

interface JobToCheck {
  owner: JobOwner
  limits: JobLimits
  environment: JobEnvironment
  submission: Submission
}

/** What several submissions of one transaction may read once. */
interface Reads {
  nodes: () => ReturnType<typeof readRegisteredNodes>
  allowance: (owner: JobOwner) => Promise<unknown>
  /** The paths of the files of a directory. Left out: they are read for each job. */
  paths?: (archiveId: string) => Promise<string[]>
}

/** @throws 403 if the owner of a job may store nothing more, or use no GPU now. */
export async function requireAllowance(tx: Transaction, owner: JobOwner): Promise<void> {
  await requireStorageQuota(tx, owner)
  for (const check of ownerChecks) await check(tx, owner)
}

/**
 * Checks a job that is new for its owner, and finds what it needs. A repeated submission is answered with its job before: it needs no space,
 * and its job may have started.
 * @throws 422 for a config above a limit, a job that can never start, or what the project cannot use; 507 on a full disk; 403 over the
 * storage quota, and if a budget is used up.
 */
export async function checkJob(
  tx: Transaction,
  { owner, limits: ofOwner, environment, submission: given }: JobToCheck,
  { nodes, allowance, paths }: Reads = {
    nodes: () => readRegisteredNodes(tx),
    allowance: (of) => requireAllowance(tx, of),
  },
): Promise<JobRow> {
  const limits = withAgentLimits(ofOwner, owner.restriction)
  const submission = withAssumedTime(given, limits)
  requireWithinAgentLimits(submission.config, environment, owner.restriction)
  requireWithinJobLimits(submission.config, limits)
  await requireCanStart(tx, owner, submission.config, nodes)
  await requireFreeSpace()
  await allowance(owner)
  const job = await prepareJob(tx, owner, environment, submission, timeCeilingS(limits), paths)
  return { ...job, hoursToApprove: hoursToApprove(given, ofOwner, owner.restriction) }
}
