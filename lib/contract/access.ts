import { z } from 'zod'
import { isThousandths } from './config/values'
import { idSchema } from './jobs'
import { roles, scopes } from './roles'

/** Free text of one line. Control characters are refused: PostgreSQL takes no NUL, and terminals obey the rest. */
const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, 'leave out line breaks and other control characters')

const time = z.string().describe('RFC 3339, UTC')
const limit = z.number().int().min(0).max(1_000_000).nullable().describe('null: the default applies')

export const limitsSchema = z.object({ submissions_per_minute: limit, max_active_jobs: limit })

const unixId = (least: number) => z.int().min(least).max(2_147_483_647).nullable()

/** What a user's files belong to on shared storage. System accounts are below these numbers. */
const unixIds = {
  unix_uid: unixId(1000).describe("owns what the user's jobs write into a project's shared directory"),
  unix_gid: unixId(1).describe('their group; null: the one with the number of unix_uid'),
}

export const userSchema = z.object({
  user_id: idSchema.describe('the handle: the user_id of every interface'),
  email: z.string().nullable(),
  name: z.string().nullable(),
  role: z.enum(roles),
  disabled: z.boolean(),
  invited: z.boolean().describe('an invitation is open: no password was set yet'),
  limits: limitsSchema,
  ...unixIds,
  created_at: time,
  last_seen_at: time.nullable(),
})

/** Length is what makes a password strong; the ceiling keeps hashing cheap. */
export const passwordSchema = z
  .string()
  .min(10, 'use at least 10 characters')
  .max(200, 'use at most 200 characters')

export const createUserSchema = z.strictObject({
  user_id: idSchema,
  email: z.email().max(254).optional(),
  name: line(100).optional(),
  role: z.enum(roles).default('researcher'),
  password: passwordSchema.optional().describe('left out: the answer holds an invitation link'),
})

/** 201 of `POST /api/users`: the link is shown once. */
export const createdUserSchema = userSchema.extend({ invitation_url: z.string().nullable() })

export const updateUserSchema = z.strictObject({
  name: line(100).nullable().optional(),
  email: z.email().max(254).optional(),
  role: z.enum(roles).optional(),
  disabled: z.boolean().optional(),
  limits: limitsSchema.partial().optional(),
  unix_uid: unixIds.unix_uid.optional(),
  unix_gid: unixIds.unix_gid.optional(),
  new_invitation: z.literal(true).optional().describe('makes a fresh invitation link and ends the old one'),
})

/** `POST /api/users/me/password`. */
export const changePasswordSchema = z.strictObject({
  current_password: z.string().max(1000).optional().describe('left out only where no password was set yet'),
  new_password: passwordSchema,
})

/** `POST /api/invitations`: sets the first password, or a new one. */
export const acceptInvitationSchema = z.strictObject({
  token: z.string().min(1).max(200),
  password: passwordSchema,
})

export const tokenSchema = z.object({
  token_id: z.string(),
  user_id: z.string(),
  name: z.string(),
  hint: z.string().describe('the first characters, to tell tokens apart'),
  scopes: z.array(z.enum(scopes)),
  created_by: z.string().nullable(),
  created_at: time,
  expires_at: time.nullable(),
  last_used_at: time.nullable(),
  revoked_at: time.nullable(),
})

export const createTokenSchema = z.strictObject({
  user_id: idSchema.optional().describe('another user: admins only'),
  name: line(100),
  scopes: z.array(z.enum(scopes)).min(1).default(['submit', 'read']),
  expires_in_days: z.number().positive().max(3650).nullable().default(90),
})

/** 201 of `POST /api/tokens`: `token` is shown here and never again. */
export const createdTokenSchema = tokenSchema.extend({ token: z.string() })

/** GPUs in whole thousandths: smaller parts are never given out. */
const gpus = z.number().min(0).max(100_000).refine(isThousandths, 'use at most three decimals')

/** What part of the cluster a project may use. */
export const sharesSchema = z.object({
  weight: z.number().min(0.001).max(1e6).describe("beside the other projects' weights, under fair_share"),
  gpu_quota: gpus
    .nullable()
    .describe('GPUs its jobs may hold at once, parts counted as parts; null: no quota'),
  gpu_hour_budget: z.number().min(0).max(1e9).nullable().describe('GPU hours in all; null: no budget'),
})

const retentionSchema = z
  .number()
  .int()
  .min(1)
  .max(36_500)
  .nullable()
  .describe(
    'days after their end that results, artifacts, shipped directories and checkpoints of its jobs are kept; null: for ever',
  )

export const projectSchema = z.object({
  id: z.string(),
  project_id: idSchema.describe('the slug, unique per owner'),
  name: z.string().nullable(),
  owner: z.string(),
  members: z.array(z.string()),
  limits: limitsSchema,
  shares: sharesSchema,
  retention_days: retentionSchema,
  gpu_hours_used: z.number().describe('GPUs held times hours, jobs that run included'),
  created_at: time,
})

export const createProjectSchema = z.strictObject({
  project_id: idSchema,
  name: line(100).optional(),
  owner: idSchema.optional().describe('another user: admins only'),
  members: z.array(idSchema).max(1000).default([]),
})

export const updateProjectSchema = z.strictObject({
  name: line(100).nullable().optional(),
  add_members: z.array(idSchema).max(1000).optional(),
  remove_members: z.array(idSchema).max(1000).optional(),
  limits: limitsSchema.partial().optional().describe('admins only'),
  shares: z.strictObject(sharesSchema.partial().shape).optional().describe('admins only'),
  retention_days: retentionSchema.optional(),
})

export const environmentSchema = z.object({
  name: idSchema,
  image: z.string(),
  description: z.string().nullable(),
  network: z.enum(['none', 'internet']),
  is_default: z.boolean(),
  enabled: z.boolean(),
})

const environmentFields = {
  image: z
    .string()
    .trim()
    .max(300)
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/,
      'name an image as the engine does, such as "pytorch/pytorch:2.8.0"',
    ),
  description: line(300).nullable(),
  network: z.enum(['none', 'internet']),
  is_default: z.boolean(),
}

export const createEnvironmentSchema = z.strictObject({
  name: idSchema,
  image: environmentFields.image,
  description: environmentFields.description.default(null),
  network: environmentFields.network.default('none'),
  is_default: environmentFields.is_default.default(false),
})

/** Without defaults: what a PATCH leaves out stays as it is. */
export const updateEnvironmentSchema = z
  .strictObject({ ...environmentFields, enabled: z.boolean() })
  .partial()

export const auditEventSchema = z.object({
  id: z.string(),
  at: time,
  actor: z.string().nullable().describe('a handle; null is gpuq itself'),
  action: z.string(),
  target: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
})

const page = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional().describe('from the Link header of the page before'),
}

/** Queries of the lists. */
export const listUsersSchema = z.object(page)
export const listTokensSchema = z.object({
  ...page,
  user_id: idSchema.optional().describe("another user's tokens: admins only"),
  all: z.stringbool().default(false).describe("every user's tokens: admins only"),
})
export const listProjectsSchema = z.object({
  ...page,
  all: z.stringbool().default(false).describe("every user's projects: admins only"),
})
export const listAuditSchema = z.object({
  ...page,
  actor: idSchema.optional().describe('a handle'),
  action: z
    .string()
    .regex(/^[a-z_]{1,64}$/, 'use the name of an action, such as "token_created"')
    .optional(),
})

export type User = z.infer<typeof userSchema>
export type CreateUser = z.input<typeof createUserSchema>
export type CreatedUser = z.infer<typeof createdUserSchema>
export type UpdateUser = z.input<typeof updateUserSchema>
export type Token = z.infer<typeof tokenSchema>
export type CreateToken = z.input<typeof createTokenSchema>
export type CreatedToken = z.infer<typeof createdTokenSchema>
export type Project = z.infer<typeof projectSchema>
export type CreateProject = z.input<typeof createProjectSchema>
export type UpdateProject = z.input<typeof updateProjectSchema>
export type Environment = z.infer<typeof environmentSchema>
export type CreateEnvironment = z.input<typeof createEnvironmentSchema>
export type UpdateEnvironment = z.input<typeof updateEnvironmentSchema>
export type AuditEvent = z.infer<typeof auditEventSchema>
