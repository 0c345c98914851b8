import * as z from 'zod'
import { label } from '../contract/config/values'
import { searchSchema, sortSchema } from '../contract/job-queries'

/** Searches of jobs that users save under a name. */

export const maxViews = 50
export const viewNameSchema = label(64)
const maxColumnsCharacters = 4_000

const viewFields = {
  name: viewNameSchema,
  all: z.boolean().describe('the jobs of all users, for admins only'),
  q: searchSchema.describe('the search; empty: all jobs'),
  sort: sortSchema.nullable().describe('null: active jobs first'),
  columns: z
    .string()
    .max(maxColumnsCharacters)
    .refine((text) => !text.includes('\0'), 'must be text without NUL')
    .nullable()
    .describe('names of columns, with commas between them; null: those that the browser keeps'),
}

/** `GET /api/views`. */
export const viewSchema = z.object({
  view_id: z.uuid(),
  ...viewFields,
  q: z.string(),
  sort: z.string().nullable(),
  created_at: z.string().describe('RFC 3339, UTC'),
})

/** `POST /api/views`. */
export const createViewSchema = z.strictObject({
  ...viewFields,
  all: viewFields.all.default(false),
  q: viewFields.q.default(''),
  sort: viewFields.sort.default(null),
  columns: viewFields.columns.default(null),
})

/** `PATCH /api/views/ID`. */
export const updateViewSchema = z.strictObject({ name: viewNameSchema })

export type SavedView = z.infer<typeof viewSchema>
export type CreateView = z.output<typeof createViewSchema>
