import type { OtherSubmission } from './job/other-submission'

/** What features can submit besides a job. */
export const otherSubmissions: readonly OtherSubmission[] = [
  {
    matches: (config) => /^["']?(matrix|array)["']?[ \t]*:/m.test(config),
    load: async () => (await import('./groups/submit-group')).submitAndFollow,
  },
]
