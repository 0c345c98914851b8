import * as z from 'zod'

const weekSeconds = 7 * 24 * 3600

/** `POST /api/jobs/ID/links`. */
export const createLinkSchema = z.strictObject({
  file: z
    .union([z.literal('result'), z.uuid()], { error: 'must be "result" or the id of an artifact' })
    .describe('"result", or the id of an artifact'),
  expires_in: z
    .int()
    .min(1)
    .max(weekSeconds, 'must be at most 604800, because a link is valid for at most seven days')
    .default(weekSeconds)
    .describe('seconds'),
})

/** A link with which anyone downloads one file of a job. */
export const downloadLinkSchema = z.object({
  id: z.uuid(),
  file: z.string().describe('"result", or the id of an artifact'),
  path: z
    .string()
    .nullable()
    .describe('of the artifact, relative to /results; null: the result, or it was deleted'),
  created_by: z.string().describe('user id'),
  made_with: z.string().nullable().describe('name of the token that made it; null: a browser session'),
  created_at: z.iso.datetime(),
  expires_at: z.iso
    .datetime()
    .describe('it also ends with the token or session that made it, and with the rights of its creator'),
})

export const createdLinkSchema = downloadLinkSchema.extend({
  url: z
    .string()
    .describe('anyone with this address downloads the file without signing in; only this response has it'),
})

/** Query of `GET /api/download`: `link`, or the other parameters of a link from before links could be revoked. */
export const downloadQuerySchema = z.object({
  link: z.string().max(200).optional().describe('the secret of the link'),
  job: z.string().default(''),
  file: z.string().default(''),
  user: z.string().default(''),
  expires: z.string().default(''),
  signature: z.string().default(''),
})

export type DownloadLink = z.infer<typeof downloadLinkSchema>
export type CreatedLink = z.infer<typeof createdLinkSchema>
