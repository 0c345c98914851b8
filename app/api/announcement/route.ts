import { readAnnouncement, removeAnnouncement, setAnnouncement } from '@/lib/access/announcements'
import { announcementOperations } from '@/lib/contract/operations/announcements'
import { route } from '@/lib/http/route'

export const GET = route(announcementOperations.get, ({ actor }) => readAnnouncement(actor))

export const PUT = route(announcementOperations.set, async ({ actor, body }) =>
  setAnnouncement(actor, await body()),
)

export const DELETE = route(announcementOperations.remove, ({ actor }) => removeAnnouncement(actor))
