import * as z from 'zod'
import { maxBatchCharacters } from '@/lib/contract/access/request-sizes'
import { line } from '@/lib/contract/config/values'
import { idSchema } from '@/lib/contract/jobs'
import { numberText } from '../shell/form-values'

/* The schemas of the forms of tokens for many users, which load them when they are submitted: zod is large. */

const optionalId = z.union([z.literal(''), idSchema])

export const classTokensSchema = z.object({
  users: z
    .string()
    .max(maxBatchCharacters)
    .refine((text) => text.trim() !== '', 'Write a user id or an e-mail address in each line.'),
  project_id: optionalId,
  competition_id: optionalId,
  name: line(100),
  days: numberText({ min: 1, max: 3650, whole: true }),
  replace: z.boolean(),
})

/** Without a class, with the project of the configs. */
export const manyTokensSchema = classTokensSchema.extend({ project_id: idSchema })
