import * as z from 'zod'
import { prepareSchema } from '@/lib/contract/access/environments'
import { roles } from '@/lib/contract/access/roles'
import { idSchema } from '@/lib/contract/jobs'
import { budgetShape, limitShape, storageQuotaText } from '../access/limit-schemas'
import { optionalNumberText, optionalText } from '../shell/form-values'

/* The schemas of forms for admins, which load them when they are submitted: zod is large. */

/** The profile of a user, as text. */
const userShape = {
  email: z.union([z.literal(''), z.email().max(254)]).transform((email) => email || undefined),
  name: optionalText(100),
  role: z.enum(roles),
}

export const newUserSchema = z.object({ user_id: idSchema, ...userShape })

const unixId = (min: number) => optionalNumberText({ min, max: 2_147_483_647, whole: true })

export const changedUserSchema = z.object({
  ...userShape,
  may_create_classes: z.boolean(),
  may_host_competitions: z.boolean(),
  ...limitShape,
  ...budgetShape,
  storage_quota_gib: storageQuotaText,
  unix_uid: unixId(1000),
  unix_gid: unixId(1),
})

export const environmentSchema = z.object({
  name: idSchema,
  image: z.string().trim().min(1).max(300),
  description: optionalText(300),
  network: z.enum(['none', 'internet']),
  prepare: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((name) => name !== ''))
    .pipe(prepareSchema),
  is_default: z.boolean(),
  enabled: z.boolean(),
})

export type NewUserValues = z.input<typeof newUserSchema>
export type UserValues = z.input<z.ZodObject<typeof userShape>>
export type EnvironmentValues = z.input<typeof environmentSchema>
