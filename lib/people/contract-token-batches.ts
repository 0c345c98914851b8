import * as z from 'zod'
import { createdTokenSchema, createTokenSchema } from '../contract/access/access'
import { maxBatchCharacters, maxBatchUsers } from '../contract/access/request-sizes'
import { line } from '../contract/config/values'
import { idSchema } from '../contract/jobs'

/** `POST /api/token-batches`. */
export const createTokensSchema = z.strictObject({
  users: z
    .string()
    .max(maxBatchCharacters, `has more than ${maxBatchCharacters} characters: divide the list`)
    .describe(
      `a user id or an e-mail address in each line, or CSV with the column user_id or email; at most ${maxBatchUsers} users`,
    ),
  class_id: z
    .uuid()
    .optional()
    .describe(
      'the id of a class: the tokens submit jobs to it, read and cancel the jobs of their user in it, and do nothing else. Only admins may leave it out',
    ),
  project_id: idSchema
    .optional()
    .describe('the project_id of the configs; only without class_id, whose name the configs have otherwise'),
  competition_id: idSchema
    .optional()
    .describe('the competition_id of the configs; default: their project_id'),
  name: line(100).optional().describe('the name of each token; default: the project_id of the configs'),
  expires_in_days: createTokenSchema.shape.expires_in_days,
  replace: z
    .boolean()
    .default(false)
    .describe('revokes the earlier tokens of these users for this class; only with class_id'),
})

/** A token of a batch. */
export const batchTokenSchema = createdTokenSchema.extend({
  config: z.string().describe('a config.yaml of the user, with the token'),
})

/** Response of `POST /api/token-batches`. The tokens are shown once. */
export const createdTokensSchema = z.object({
  project_id: idSchema.describe('the project_id of the configs'),
  tokens: z.array(batchTokenSchema).describe('in the order of the list'),
})

export type CreateTokens = z.input<typeof createTokensSchema>
export type CreatedTokens = z.infer<typeof createdTokensSchema>
