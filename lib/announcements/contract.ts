import * as z from 'zod'
import { maxAnnouncementLength } from '../contract/access/request-sizes'

/** What an admin tells every signed-in user. */
export const announcementSchema = z.object({
  id: z
    .uuid()
    .describe('changes with the text, so that a new text is shown to those who dismissed the old one'),
  text: z.string(),
  ends_at: z.string().nullable().describe('RFC 3339, UTC; null: until an admin removes it'),
  created_at: z.string(),
})

/** `GET /api/announcement`. */
export const currentAnnouncementSchema = z.object({
  announcement: announcementSchema.nullable().describe('null: there is none'),
  dismissed: z.boolean().describe('the caller does not want to see it again'),
})

/** `POST /api/announcement/dismissal`. */
export const dismissAnnouncementSchema = z.strictObject({ id: z.uuid() })

/** Line breaks are text, and other control characters are not. */
const printable = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u

/** `PUT /api/announcement`. */
export const setAnnouncementSchema = z.strictObject({
  text: z
    .string()
    .trim()
    .min(1, 'write a text')
    .max(maxAnnouncementLength)
    .refine((text) => printable.test(text.replaceAll(/\r?\n/g, '')), 'remove the control characters'),
  ends_at: z.iso
    .datetime({ offset: true, error: 'use a time such as 2030-01-01T12:00:00Z' })
    .nullable()
    .default(null)
    .describe('when it disappears; null: an admin removes it'),
})

export type Announcement = z.infer<typeof announcementSchema>
export type CurrentAnnouncement = z.infer<typeof currentAnnouncementSchema>
