import * as z from 'zod'
import { setAnnouncementSchema } from '@/lib/announcements/contract'

/** The form of an announcement, which loads this when it is submitted: zod is large. */
export const announcementSchema = z.object({
  text: setAnnouncementSchema.shape.text,
  // The browser's control has no time zone: the time is that of the admin.
  ends_at: z.string().transform((local) => (local === '' ? null : new Date(local).toISOString())),
})
