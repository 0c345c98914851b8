import type { FindNamedDirectory } from '../archives/named-directory'
import { requireBucket } from '../buckets/require-bucket'
import type { JobConfig } from '../contract/config/config'
import type { Transaction } from '../database/transaction'
import { findSnapshotDirectory } from '../snapshots/find-snapshot'

/* What features add to the submission of jobs. */

/** Find the directories under the names with which configs mount them, or start in them. The first answers. */
export const directoryNames: readonly FindNamedDirectory[] = [findSnapshotDirectory]

type SubmissionCheck = (tx: Transaction, projectId: string, config: JobConfig) => Promise<void>

/** Refuse configs that the project of the job cannot use. */
export const submissionChecks: readonly SubmissionCheck[] = [requireBucket]
