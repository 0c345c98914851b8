import * as z from 'zod'
import { isThousandths, line } from '../config/values'
import { idSchema } from '../jobs'
import { page, storageQuotaSchema, time } from './access'
import { budgetFields, shownBudgetFields } from './budget'
import { limitsSchema, updateLimitsSchema } from './limits'
import { agreedKinds, projectKinds } from './project-kinds'
import { storageUseSchema } from './storage'

/** What a caller agrees to in a request. It names the kind, so that nobody agrees to another one than they read about. */
export const agreeToSchema = z
  .enum(agreedKinds)
  .describe(
    'the kind of the project: agrees that its owner, and in a class its managers, see your jobs in it',
  )

/** GPUs in thousandths, the smallest part that can be allocated. */
const gpus = z.number().min(0).max(100_000).refine(isThousandths, 'use at most three decimals')

const shareFields = {
  weight: z.number().min(0.001).max(1e6).describe('weight relative to other projects, with fair_share'),
  gpu_quota: gpus.nullable().describe('maximum GPUs at the same time, including parts; null: no quota'),
}

/** The part of the cluster that a project may use. */
export const sharesSchema = z.object({ ...shareFields, ...shownBudgetFields })

const ownerBudget = budgetFields.gpu_hour_budget.describe(
  "a budget of its owner, in the period of the admin's, and not above it; null: none",
)

const retentionSchema = z
  .int()
  .min(0)
  .max(36_500)
  .nullable()
  .describe('days after the end of a job until its stored files are deleted; null: the default, 0: never')

export const projectSchema = z.object({
  id: z.uuid(),
  project_id: idSchema.describe('unique per owner'),
  name: z.string().nullable(),
  kind: z
    .enum(projectKinds)
    .default('private')
    .describe('who sees the jobs of members: in a class its owner and managers, in a team its owner'),
  owner: z.string(),
  members: z.array(z.string()),
  managers: z
    .array(z.string())
    .default([])
    .describe('members, or the owner, who see the jobs of the project and may cancel them'),
  agreed: z
    .array(z.string())
    .default([])
    .describe(
      'members who agreed to the kind of a team or a class: the jobs of the others are seen by nobody else',
    ),
  means: z
    .boolean()
    .default(false)
    .describe("whether the caller's configs with this project_id mean this project"),
  asks: z
    .boolean()
    .default(false)
    .describe('whether the caller has several projects of this name and has not said which one is meant'),
  pushers: z
    .array(z.string())
    .default([])
    .describe('members with the right to push snapshots; the owner, managers and admins have it always'),
  may_push: z.boolean().default(true).describe('whether the caller may push snapshots to the project'),
  names: z
    .record(z.string(), z.string())
    .describe('the names of its owner and members, by user_id; some have none'),
  invited: z
    .array(z.string())
    .describe('user ids that were invited and have not accepted; empty for members who do not manage it'),
  limits: limitsSchema,
  shares: sharesSchema,
  owner_gpu_hour_budget: ownerBudget.default(null),
  share_runs: z
    .boolean()
    .describe(
      'whether a new run (`run_name`) belongs to all members; otherwise to the user of its first job',
    ),
  old_shared_runs: z
    .array(z.object({ id: z.uuid(), name: z.string(), users: z.array(z.string()) }))
    .describe(
      'runs that several users share, because they used them before runs belonged to users; the first user is their owner; empty for members who do not manage the project',
    ),
  retention_days: retentionSchema,
  default_retention_days: z.int().describe('retention if retention_days is null; 0: never'),
  storage: storageUseSchema.describe('files of all members; they also count to the quotas of the users'),
  bucket: idSchema
    .nullable()
    .describe('the registered bucket that receives copies of the results of its jobs; null: none'),
  gpu_hours_used: z.number().describe('allocated GPUs times hours, including running jobs'),
  created_at: time,
})

export const createProjectSchema = z.strictObject({
  project_id: idSchema,
  name: line(100).optional(),
  kind: z
    .enum(projectKinds)
    .default('private')
    .describe('team and class: for admins, and for users who may create classes'),
  owner: idSchema.optional().describe('another user, for admins only'),
  members: z.array(idSchema).max(1000).default([]).describe('users to invite; each accepts or declines'),
})

export const updateProjectSchema = z.strictObject({
  name: line(100).nullable().optional(),
  kind: z
    .enum(agreedKinds)
    .optional()
    .describe(
      'turns a private project into a team or a class, once; each member agrees before their jobs are seen',
    ),
  add_members: z.array(idSchema).max(1000).optional().describe('invites users; each accepts or declines'),
  remove_members: z.array(idSchema).max(1000).optional().describe('also withdraws their invitations'),
  add_managers: z
    .array(idSchema)
    .max(1000)
    .optional()
    .describe('members, or the owner, who become managers; for admins, and in a class for its owner'),
  remove_managers: z
    .array(idSchema)
    .max(1000)
    .optional()
    .describe('managers who become members again; for the owner, admins, and managers themselves'),
  add_pushers: z
    .array(idSchema)
    .max(1000)
    .optional()
    .describe('members who get the right to push snapshots; for the owner, managers and admins'),
  remove_pushers: z
    .array(idSchema)
    .max(1000)
    .optional()
    .describe('members who lose the right to push snapshots; for the owner, managers and admins'),
  limits: updateLimitsSchema.optional().describe('for admins only'),
  shares: z
    .strictObject({ ...shareFields, ...budgetFields })
    .partial()
    .optional()
    .describe('for admins only'),
  owner_gpu_hour_budget: ownerBudget.optional(),
  share_runs: z
    .boolean()
    .optional()
    .describe(
      'whether new runs belong to all members; for the owner, managers and admins. Existing jobs keep their run',
    ),
  unshare_old_runs: z
    .array(z.uuid())
    .max(1000)
    .optional()
    .describe(
      'ids of `old_shared_runs` that belong to their owner alone from now on; for the owner, managers and admins',
    ),
  retention_days: retentionSchema.optional().describe('more than the default: for admins only'),
  storage_quota_gib: storageQuotaSchema.optional().describe('for admins only; null or 0: no quota'),
  bucket: idSchema.nullable().optional().describe('name of a registered bucket, for admins only; null: none'),
})

/** An invitation of the caller to a project. */
export const projectInvitationSchema = z.object({
  id: z.uuid(),
  project_id: idSchema,
  name: z.string().nullable(),
  kind: z.enum(projectKinds).default('private'),
  owner: z.string(),
  created_at: time,
  expires_at: time,
})

/** `PATCH /api/projects/{id}/membership`: what the caller decides alone. */
export const updateMembershipSchema = z.strictObject({
  agree_to: agreeToSchema.optional(),
  preferred: z
    .literal(true)
    .optional()
    .describe("the caller's configs with the name of this project mean this project"),
})

/** `POST /api/project-invitations/{id}`. */
export const answerInvitationSchema = z.strictObject({
  accept: z.boolean().describe('true: become a member; false: decline'),
  agree_to: agreeToSchema.optional(),
})

/** Query of `GET /api/projects`. */
export const listProjectsSchema = z.object({
  ...page,
  all: z.stringbool().default(false).describe('the projects of all users, for admins only'),
  project_id: idSchema.optional().describe('only projects with this project_id'),
})

export type Project = z.infer<typeof projectSchema>
export type ProjectInvitation = z.infer<typeof projectInvitationSchema>
export type AnswerInvitation = z.input<typeof answerInvitationSchema>
export type UpdateMembership = z.input<typeof updateMembershipSchema>
export type UpdateProject = z.input<typeof updateProjectSchema>
