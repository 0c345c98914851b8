import { isGroupConfig } from '@/lib/groups/contract-recognise'
import type { OtherObject } from './job/other-object'
import type { OtherSubmission, OtherSubmitted } from './job/other-submission'

/** What features can submit besides a job. */
export const otherSubmissions: readonly OtherSubmission[] = [
  {
    matches: isGroupConfig,
    load: async () => (await import('./groups/submit-group')).submitAndFollow,
  },
]

/** What the server may have made of a submission besides a job. */
export const otherSubmitted: readonly OtherSubmitted[] = [
  {
    matches: (submitted) => 'entry' in submitted,
    load: async () => (await import('./competitions/follow-entry')).followEntry,
  },
]

/** What has an id and is no job. */
export const otherObjects: readonly OtherObject[] = [
  {
    name: 'a group of jobs',
    find: async (client, given) => {
      const { findGroupId } = await import('./groups/find-group')
      return (await client.groups.get(await findGroupId(client, given))).group_id
    },
    command: (id) => `gpuq group ${id}`,
  },
]
