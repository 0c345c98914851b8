import * as z from 'zod'
import { maxJoinLinkDays, maxJoinLinkPeople } from '@/lib/contract/access/join-links'
import { projectKinds } from '@/lib/contract/access/project-kinds'
import { maxBatchCharacters } from '@/lib/contract/access/request-sizes'
import { scopes } from '@/lib/contract/access/roles'
import { line } from '@/lib/contract/config/values'
import { idSchema } from '@/lib/contract/jobs'
import { numberText, optionalNumberText, optionalText } from '../shell/form-values'
import { limitShape, shareShape, storageQuotaText } from './limit-schemas'
import { newPasswordSchema } from './new-password'

/* The schemas of forms of projects, tokens and accounts, which load them when they are submitted: zod is large. */

const optionalId = z.union([z.literal(''), idSchema])

export const newProjectSchema = z.object({
  project_id: idSchema,
  name: optionalText(100),
  kind: z.enum(projectKinds),
  owner: optionalId,
})

export const changedProjectSchema = z.object({
  name: optionalText(100),
  ...limitShape,
  retention_days: optionalNumberText({ min: 0, max: 36_500, whole: true }),
  storage_quota_gib: storageQuotaText,
  bucket: optionalText(64),
  ...shareShape,
})

export const memberSchema = z.object({ member: idSchema })

export const joinLinkSchema = z.object({
  max_people: numberText({ min: 1, max: maxJoinLinkPeople, whole: true }),
  expires_in_days: numberText({ min: 1, max: maxJoinLinkDays, whole: true }),
  new_accounts: z.boolean(),
})

export const ownTokenSchema = z.object({
  user_id: optionalId,
  name: z.string().trim().min(1).max(100),
  scopes: z.array(z.enum(scopes)).min(1),
  lifetime: z.enum(['7', '30', '90', '365', 'never']),
})

/** With the user of the token. */
export const tokenSchema = ownTokenSchema.extend({ user_id: idSchema })

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

export const newAccountSchema = z.intersection(
  z.object({ user_id: idSchema, name: optionalText(100) }),
  newPasswordSchema,
)

export type ProjectValues = z.input<typeof changedProjectSchema>
export type TokenValues = z.input<typeof ownTokenSchema>
