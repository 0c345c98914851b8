import { uploadedEntries } from '../competitions/entries/uploaded-entries'
import { queuedGroups } from '../groups/queue-api/queued-groups'

/* What features add to the routes of the kernel. */

/** Kinds that the queue API takes besides jobs. */
export const queuedKinds = [queuedGroups]

/** What an upload may be besides a job. */
export const uploadKinds = [uploadedEntries]
