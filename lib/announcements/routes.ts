import { route } from '../http/route'
import { dismissAnnouncement, readAnnouncement, removeAnnouncement, setAnnouncement } from './announcements'
import { announcementOperations } from './operations'

export const announcementRoutes = {
  get: route(announcementOperations.get, ({ actor }) => readAnnouncement(actor)),

  set: route(announcementOperations.set, async ({ actor, body }) => setAnnouncement(actor, await body())),

  dismiss: route(announcementOperations.dismiss, async ({ actor, body }) => {
    await dismissAnnouncement(actor, (await body()).id)
  }),

  remove: route(announcementOperations.remove, ({ actor }) => removeAnnouncement(actor)),
}
