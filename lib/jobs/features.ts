import type { FindNamedDirectory } from '../archives/named-directory'
import { requireBucket } from '../buckets/require-bucket'
import { requireBudgetLeft } from '../budgets/require-budget'
import type { JobConfig } from '../contract/config/config'
import type { Transaction } from '../database/transaction'
import { requireParent } from '../experiments/require-parent'
import { findSnapshotDirectory } from '../snapshots/find-snapshot'
import type { JobOwner } from './submission/job-owner'

/* What features add to the submission of jobs. */

/** Find the directories under the names with which configs mount them, or start in them. The first answers. */
export const directoryNames: readonly FindNamedDirectory[] = [findSnapshotDirectory]

type SubmissionCheck = (tx: Transaction, owner: JobOwner, config: JobConfig) => Promise<void>

/** Refuse configs that the project or the owner of the job cannot use. */
export const submissionChecks: readonly SubmissionCheck[] = [requireBucket, requireParent]

/** Refuse owners who may submit nothing now. */
export const ownerChecks: readonly ((tx: Transaction, owner: JobOwner) => Promise<void>)[] = [
  requireBudgetLeft,
]
