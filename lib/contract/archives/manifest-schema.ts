import * as z from 'zod'
import { type FileEntry, findMistakes, type LinkEntry, maxEntries } from './archive-manifest'

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal')

const fileSchema: z.ZodType<FileEntry> = z.strictObject({
  path: z.string(),
  bytes: z.int().min(0),
  sha256: hashSchema,
  executable: z.literal(true).optional(),
})

const linkSchema: z.ZodType<LinkEntry> = z.strictObject({ path: z.string(), target: z.string() })

/** The files and links of a directory. Subdirectories follow from the paths; empty ones are not stored. */
export const entriesSchema = z
  .array(z.union([linkSchema, fileSchema]))
  .min(1, 'must have at least one file')
  .max(maxEntries, `must have at most ${maxEntries} files`)
  .superRefine((entries, context) => {
    const refuse = (index: number, message: string) =>
      context.addIssue({ code: 'custom', path: [index, 'path'], message })
    let refused = 0
    for (const { index, message } of findMistakes(entries)) {
      refuse(index, message)
      // Limits the response to a hostile list.
      if (++refused === 10) return
    }
  })

export const manifestSchema = z.object({ version: z.literal(1), entries: entriesSchema })
