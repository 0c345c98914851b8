import { isGroupConfig } from '@/lib/groups/contract-recognise'
import type { OtherSubmission } from './job/other-submission'

/** What features can submit besides a job. */
export const otherSubmissions: readonly OtherSubmission[] = [
  {
    matches: isGroupConfig,
    load: async () => (await import('./groups/submit-group')).submitAndFollow,
  },
]
