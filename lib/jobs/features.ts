import type { FindNamedDirectory } from '../archives/named-directory'
import { findSnapshotDirectory } from '../snapshots/find-snapshot'

/* What features add to the submission of jobs. */

/** Find the directories under the names with which configs mount them, or start in them. The first answers. */
export const directoryNames: readonly FindNamedDirectory[] = [findSnapshotDirectory]
