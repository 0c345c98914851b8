import * as z from 'zod'
import { idSchema } from '@/lib/contract/jobs'
import { maxJoinLinkDays, maxJoinLinkPeople } from '@/lib/join-links/contract'
import { newPasswordSchema } from '../access/new-password'
import { numberText, optionalText } from '../shell/form-values'

/* The schemas of the forms of join links, which load them when they are submitted: zod is large. */

export const joinLinkSchema = z.object({
  max_people: numberText({ min: 1, max: maxJoinLinkPeople, whole: true }),
  expires_in_days: numberText({ min: 1, max: maxJoinLinkDays, whole: true }),
  new_accounts: z.boolean(),
})

export const newAccountSchema = z.intersection(
  z.object({ user_id: idSchema, name: optionalText(100) }),
  newPasswordSchema,
)
