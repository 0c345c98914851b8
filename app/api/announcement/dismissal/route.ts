import { dismissAnnouncement } from '@/lib/access/announcements'
import { announcementOperations } from '@/lib/contract/operations/announcements'
import { route } from '@/lib/http/route'

export const POST = route(announcementOperations.dismiss, async ({ actor, body }) => {
  await dismissAnnouncement(actor, (await body()).id)
})
