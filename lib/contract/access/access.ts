import * as z from 'zod'
import { line } from '../config/values'
import { idSchema } from '../jobs'
import { auditActionPattern } from './audit-actions'
import { budgetFields, shownBudgetFields } from './budget'
import { limitsSchema, updateLimitsSchema } from './limits'
import { agentLimitsSchema } from './restriction'
import { roles, scopes } from './roles'
import { storageUseSchema } from './storage'

export const time = z.string().describe('RFC 3339, UTC')
export const storageQuotaSchema = z.number().min(0).max(1_000_000).nullable()

const unixId = (least: number) => z.int().min(least).max(2_147_483_647).nullable()

/** Owner of a user's files on shared storage. Lower numbers are for system accounts. */
const unixIds = {
  unix_uid: unixId(1000).describe("owner of the files that the user's jobs write to a shared directory"),
  unix_gid: unixId(1).describe('group of these files; null: the group with the number of unix_uid'),
}

export const userSchema = z.object({
  user_id: idSchema.describe('the user_id in all interfaces'),
  email: z.string().nullable(),
  name: z.string().nullable(),
  role: z.enum(roles),
  disabled: z.boolean(),
  may_create_classes: z
    .boolean()
    .default(false)
    .describe('may create projects of the kinds team and class; admins may without it'),
  may_host_competitions: z
    .boolean()
    .default(false)
    .describe('may create competitions; admins may without it'),
  invited: z.boolean().describe('true: the user has an invitation and no password yet'),
  limits: limitsSchema,
  storage: storageUseSchema,
  storage_quota_gib: storageQuotaSchema.describe(
    "the user's own quota; null: the default applies, 0: no quota",
  ),
  ...shownBudgetFields,
  ...unixIds,
  created_at: time,
  last_seen_at: time.nullable(),
})

/** Response of `GET /api/users/me`. */
export const meSchema = userSchema.extend({
  host_files: z
    .string()
    .nullable()
    .optional()
    .describe('boot id of the machine whose scripts the caller may run in their own directory; null: none'),
})

/** The maximum keeps hashing cheap. The server also refuses a password that is easy to guess: see `password-strength`. */
export const passwordSchema = z
  .string()
  .min(10, 'use at least 10 characters')
  .max(200, 'use at most 200 characters')

export const createUserSchema = z.strictObject({
  user_id: idSchema,
  email: z.email().max(254).optional(),
  name: line(100).optional(),
  role: z.enum(roles).default('researcher'),
  password: passwordSchema.optional().describe('if absent, the response has an invitation link'),
})

/** Response of `POST /api/users`. The link is shown once. */
export const createdUserSchema = userSchema.extend({ invitation_url: z.string().nullable() })

export const updateUserSchema = z.strictObject({
  name: line(100).nullable().optional(),
  email: z.email().max(254).optional(),
  role: z.enum(roles).optional(),
  disabled: z.boolean().optional(),
  may_create_classes: z.boolean().optional(),
  may_host_competitions: z.boolean().optional(),
  limits: updateLimitsSchema.optional(),
  storage_quota_gib: storageQuotaSchema.optional().describe('null: the default applies, 0: no quota'),
  ...z.object(budgetFields).partial().shape,
  unix_uid: unixIds.unix_uid.optional(),
  unix_gid: unixIds.unix_gid.optional(),
  new_invitation: z
    .literal(true)
    .optional()
    .describe('creates a new invitation link and revokes the old one'),
})

/** `POST /api/users/me/password`. */
export const changePasswordSchema = z.strictObject({
  current_password: z
    .string()
    .max(1000)
    .optional()
    .describe('may be absent only if the user has no password yet'),
  new_password: passwordSchema,
})

/** `POST /api/invitations`: sets the password. */
export const acceptInvitationSchema = z.strictObject({
  token: z.string().min(1).max(200),
  password: passwordSchema,
})

export const tokenSchema = z.object({
  token_id: z.uuid(),
  user_id: z.string(),
  user_name: z.string().nullable().describe("the user's name; null: the user has set none"),
  name: z.string(),
  hint: z.string().describe('first characters of the token, to recognize it'),
  scopes: z.array(z.enum(scopes)),
  bound_to: z
    .object({ id: z.uuid(), project_id: idSchema, owner: z.string() })
    .nullable()
    .default(null)
    .describe(
      'the class that the token is for: it submits jobs to it, and reads and cancels them. Null: the token is not bound',
    ),
  limits: agentLimitsSchema
    .nullable()
    .default(null)
    .describe(
      'the token is for an agent: it submits jobs within these limits, and reads and cancels only those. Null: it is not',
    ),
  created_by: z.string().nullable(),
  created_at: time,
  expires_at: time.nullable(),
  last_used_at: time.nullable(),
  revoked_at: time.nullable(),
})

/** A browser in which the user is signed in. */
export const sessionSchema = z.object({
  session_id: z.uuid(),
  current: z.boolean().describe('the session of this request'),
  address: z.string().describe('where the user signed in'),
  user_agent: z.string().describe('the browser, as it described itself'),
  created_at: time,
  last_seen_at: time.describe('to the minute'),
  expires_at: time,
})

export const endSessionsSchema = z.object({
  keep_current: z.stringbool().default(false).describe('ends all sessions but that of this request'),
})

export const createTokenSchema = z.strictObject({
  user_id: idSchema.optional().describe('another user, for admins only'),
  name: line(100),
  scopes: z.array(z.enum(scopes)).min(1).default(['submit', 'read']),
  expires_in_days: z.number().positive().max(3650).nullable().default(90),
  limits: agentLimitsSchema
    .optional()
    .describe(
      'makes a token for an agent, which submits jobs within these limits, and reads and cancels only those',
    ),
})

/** Response of `POST /api/tokens`. `token` is shown once. */
export const createdTokenSchema = tokenSchema.extend({ token: z.string() })

export const auditEventSchema = z.object({
  id: z.uuid(),
  at: time,
  actor: z.string().nullable().describe('a user_id; null: gpuq itself'),
  actor_name: z.string().nullable().describe("the actor's name; null: the actor has set none"),
  action: z.string(),
  target: z.string().nullable(),
  target_name: z.string().nullable().describe("the user's name if the target is a user who has set one"),
  detail: z.record(z.string(), z.unknown()),
})

/** `GET /api/limits/roles`. */
export const roleLimitsSchema = z.record(z.enum(roles), limitsSchema)

export const ownLimitsQuerySchema = z.object({
  project_id: idSchema
    .optional()
    .describe('limits in this project; absent: in a project without limits of its own'),
})

/** Query of every list. */
export const page = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional().describe('from the Link header of the previous page'),
}

/** Queries of the lists. */
export const listUsersSchema = z.object(page)
export const listTokensSchema = z.object({
  ...page,
  user_id: idSchema.optional().describe("another user's tokens, for admins only"),
  all: z.stringbool().default(false).describe('the tokens of all users, for admins only'),
})
export const listAuditSchema = z.object({
  ...page,
  actor: idSchema.optional().describe('a user_id'),
  action: z
    .string()
    .regex(auditActionPattern, 'use the name of an action, such as "token_created"')
    .optional(),
})

export type User = z.infer<typeof userSchema>
export type Me = z.infer<typeof meSchema>
export type CreatedUser = z.infer<typeof createdUserSchema>
export type UpdateUser = z.input<typeof updateUserSchema>
export type Session = z.infer<typeof sessionSchema>
export type Token = z.infer<typeof tokenSchema>
export type CreateToken = z.input<typeof createTokenSchema>
export type CreatedToken = z.infer<typeof createdTokenSchema>
export type AuditEvent = z.infer<typeof auditEventSchema>
