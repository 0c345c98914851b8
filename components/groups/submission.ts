import { isGroupConfig } from '@/lib/groups/contract-recognise'
import type { OtherSubmission } from '../jobs/submit/other-submission'
import { onDemand } from '../ui/on-demand'

/** A config with a matrix or an array on the submit page. */
export const groupSubmission: OtherSubmission = {
  matches: isGroupConfig,
  action: 'Submit group',
  parts: onDemand(() => import('./submission-parts')),
}
