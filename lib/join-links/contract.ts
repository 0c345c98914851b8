import * as z from 'zod'
import { passwordSchema, time } from '../contract/access/access'
import { agreeToSchema } from '../contract/access/projects'
import { label } from '../contract/config/values'
import { idSchema } from '../contract/jobs'

export const maxJoinLinkPeople = 1000
export const maxJoinLinkDays = 365

export const joinLinkStates = ['open', 'full', 'expired', 'revoked'] as const
export type JoinLinkState = (typeof joinLinkStates)[number]

/** A link with which people join a project. */
export const joinLinkSchema = z.object({
  id: z.uuid(),
  state: z.enum(joinLinkStates),
  max_people: z.int(),
  joined: z.int().describe('people who joined with it'),
  new_accounts: z.boolean().describe('people without an account may create one'),
  created_by: z.string().describe('user id'),
  created_at: time,
  expires_at: time,
})

/** `POST /api/projects/{id}/join-links`. */
export const createJoinLinkSchema = z.strictObject({
  max_people: z.int().min(1).max(maxJoinLinkPeople).default(100),
  expires_in_days: z.int().min(1).max(maxJoinLinkDays).default(14),
  new_accounts: z
    .boolean()
    .default(false)
    .describe('people without an account may create one; for admins only'),
})

export const createdJoinLinkSchema = joinLinkSchema.extend({
  url: z.string().describe('only this response contains it'),
})

/** `POST /api/join/{token}`. The body may be left out for a private project. */
export const joinSchema = z.strictObject({ agree_to: agreeToSchema.optional() })

/** `POST /api/join/{token}/account`. */
export const joinWithAccountSchema = z.strictObject({
  user_id: idSchema,
  name: label(100).optional(),
  password: passwordSchema,
  agree_to: agreeToSchema.optional(),
})

/** The project that somebody joined. */
export const joinedProjectSchema = z.object({
  project_id: idSchema,
  user_id: idSchema,
  asks: z
    .boolean()
    .default(false)
    .describe('whether the user has another project of this name, and must say which one their configs mean'),
})

export type JoinedProject = z.output<typeof joinedProjectSchema>
export type JoinProject = z.input<typeof joinSchema>
export type JoinLink = z.infer<typeof joinLinkSchema>
export type CreatedJoinLink = z.infer<typeof createdJoinLinkSchema>
export type CreateJoinLink = z.input<typeof createJoinLinkSchema>
