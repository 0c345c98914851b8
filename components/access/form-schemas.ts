import * as z from 'zod'
import { projectKinds } from '@/lib/contract/access/project-kinds'
import { scopes } from '@/lib/contract/access/roles'
import { idSchema } from '@/lib/contract/jobs'
import { optionalNumberText, optionalText } from '../shell/form-values'
import { budgetShape, limitShape, shareShape, storageQuotaText } from './limit-schemas'

/* The schemas of forms of projects and tokens, which load them when they are submitted: zod is large. */

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
  owner_gpu_hour_budget: budgetShape.gpu_hour_budget,
  storage_quota_gib: storageQuotaText,
  bucket: optionalText(64),
  ...shareShape,
})

export const memberSchema = z.object({ member: idSchema })

const commaList = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .pipe(z.array(idSchema))
  .transform((names) => (names.length === 0 ? null : names))
const hours = optionalNumberText({ min: 0.001, max: 100_000_000 })

/** The limits of a token for an agent. */
const agentLimitsForm = z.object({
  gpu_hours: hours,
  gpu_hours_per_day: hours,
  max_gpus: optionalNumberText({ min: 0, max: 100_000 }),
  ask_above_gpu_hours: optionalNumberText({ min: 0, max: 100_000_000 }),
  max_time_hours: hours,
  max_priority: optionalNumberText({ min: -100, max: 100, whole: true }),
  projects: commaList,
  environments: commaList,
})

export const ownTokenSchema = z.object({
  for_agent: z.boolean(),
  ...agentLimitsForm.shape,
  user_id: optionalId,
  name: z.string().trim().min(1).max(100),
  scopes: z.array(z.enum(scopes)).min(1),
  lifetime: z.enum(['7', '30', '90', '365', 'never']),
})

/** With the user of the token. */
export const tokenSchema = ownTokenSchema.extend({ user_id: idSchema })

export type ProjectValues = z.input<typeof changedProjectSchema>
export type TokenValues = z.input<typeof ownTokenSchema>
