import { isGroupConfig } from '@/lib/groups/contract-recognise'
import type { OtherSubmission } from '../jobs/submit/other-submission'
import { onDemand } from '../ui/on-demand'

/** A config of a sweep, an array or a wave on the submit page. */
export const groupSubmission: OtherSubmission = {
  matches: isGroupConfig,
  action: 'Submit group',
  parts: onDemand(() => import('./submission-parts')),
}
