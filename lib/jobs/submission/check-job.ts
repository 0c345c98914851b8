import type { JobEnvironment } from '../../access/environments'
import { requireStorageQuota } from '../../access/storage/storage-quota'
import type { JobLimits } from '../../contract/access/limits'
import type { Transaction } from '../../database/transaction'
import { requireFreeSpace } from '../../storage/free-space'
import { readRegisteredNodes } from '../config/registered-nodes'
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
  quota: (owner: JobOwner) => Promise<unknown>
}

/**
 * Checks a job that is new for its owner, and finds what it needs. A repeated submission is answered with its job before: it needs no space,
 * and its job may have started.
 * @throws 422 for a config above a limit, a job that can never start, or what the project cannot use; 507 on a full disk; 403 over the
 * storage quota.
 */
export async function checkJob(
  tx: Transaction,
  { owner, limits, environment, submission: given }: JobToCheck,
  { nodes, quota }: Reads = {
    nodes: () => readRegisteredNodes(tx),
    quota: (of) => requireStorageQuota(tx, of),
  },
): Promise<JobRow> {
  const submission = withAssumedTime(given, limits)
  requireWithinJobLimits(submission.config, limits)
  await requireCanStart(tx, owner, submission.config, nodes)
  await requireFreeSpace()
  await quota(owner)
  return prepareJob(tx, owner, environment, submission, timeCeilingS(limits))
}
