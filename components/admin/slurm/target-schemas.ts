import * as z from 'zod'
import { createSlurmTargetSchema, updateSlurmTargetSchema } from '@/lib/contract/cluster/slurm'
import { pools } from '@/lib/contract/config/pools'

/* The schemas of the forms of rows, which load them when they are submitted: zod is large. */

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
