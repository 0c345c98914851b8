import { z } from 'zod'
import { tags } from './config/values'

/** What people write on a job to find it again. It does not change how the job runs. */

export const maxNoteCharacters = 4_000

/** Control characters except tabs and ends of lines, and characters that reverse the text after them. */
const unprintable = /[^\P{Cc}\t\n]|[\p{Bidi_Control}\p{Surrogate}]/u

export const noteSchema = z
  .string()
  .overwrite((text) => text.replace(/\r\n?/g, '\n'))
  .trim()
  .max(maxNoteCharacters, `must be at most ${maxNoteCharacters} characters`)
  .refine((text) => !unprintable.test(text), 'must be text without control characters')

export const tagSchema = tags.element

/** `PATCH /api/jobs/ID`. */
export const updateJobSchema = z.strictObject({
  note: noteSchema.nullable().optional().describe('text for people; null or empty: none'),
  starred: z.boolean().optional(),
  tags: tags.optional().describe('replaces all tags'),
})

/** Filters of a list of jobs by their labels, as query parameters. */
export const labelFilters = {
  tag: tagSchema.optional().describe('one of its tags'),
  starred: z.stringbool().optional().describe('true: only jobs with a star'),
}

export type UpdateJob = z.infer<typeof updateJobSchema>
