import * as z from 'zod'
import { pools } from '@/lib/contract/config/pools'
import { createSlurmTargetSchema, updateSlurmTargetSchema } from '@/lib/slurm/contract'
import { policyFormSchema } from '../cluster/policy/policy-schemas'

/* The schemas of the forms, which load them when they are submitted: zod is large. */

/** The fields of the policy that apply under Slurm. */
export const slurmPolicySchema = policyFormSchema.pick({
  max_queue_size: true,
  enable_auto_retry: true,
  idle_gpu_minutes: true,
  require_existing_projects: true,
})

export const drainSchema = z.object({
  reason: z.string().trim().min(1, 'Slurm requires a reason, and shows it to all users.').max(200),
})

/** Empty text is null, and then the schema of the API checks it. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text) => text.trim() || null)
    .pipe(schema as z.ZodType<z.output<Schema>, string | null>)

const { account, partition, qos, reservation } = updateSlurmTargetSchema.shape

export const placeSchema = z.object({
  account: optional(account),
  partition: optional(partition),
  qos: optional(qos),
  reservation: optional(reservation),
})

export const newTargetSchema = z.object({
  project: optional(createSlurmTargetSchema.shape.project),
  pool: z.enum(['any', ...pools]).transform((pool) => (pool === 'any' ? null : pool)),
  ...placeSchema.shape,
})

export type PlaceValues = z.input<typeof placeSchema>
export type NewTargetValues = z.input<typeof newTargetSchema>
