import * as z from 'zod'
import { slurmStateSchema } from '../contract/cluster/engine'
import { pools } from '../contract/config/pools'
import { line } from '../contract/config/values'

/** Requests and responses about Slurm, under `GPUQ_ENGINE=slurm`. Memory is in MiB, times are RFC 3339 UTC. */

const time = z.string().describe('RFC 3339, UTC')

/**
 * `free`, `mixed` and `full`: none, some or all of its GPUs are used (of its CPUs, if it has no GPUs). `draining`: it
 * accepts no jobs, and some still run. `drained`: no jobs run any more. `down`: it does not answer Slurm.
 */
export const slurmNodeStates = ['free', 'mixed', 'full', 'draining', 'drained', 'down'] as const

/**
 * The gpuq worker of a Slurm node. `missing`: none has ever served it. `lost`: it does not answer. Jobs of gpuq cannot run
 * on a node without a ready worker.
 */
export const slurmWorkerStates = ['ready', 'lost', 'missing'] as const

export const slurmGpusSchema = z.object({
  type: z.string().nullable().describe("Slurm's name of the model; null: Slurm has none"),
  count: z.int(),
  used: z.int(),
})

/** The last wish of an admin for a node, which the leader passes on to Slurm. */
export const slurmNodeRequestSchema = z.object({
  drained: z.boolean(),
  reason: z.string().nullable(),
  requested_by: z.string().nullable().describe('user id; null: the user was deleted'),
  requested_at: time,
  problem: z.string().nullable().describe('why Slurm refused it; null: it was not tried yet'),
})

export const slurmNodeSchema = z.object({
  name: z.string(),
  state: z.enum(slurmNodeStates),
  slurm_states: z.array(z.string()).describe("Slurm's own words, such as IDLE and DRAIN"),
  reason: z.string().nullable().describe('why it is drained or down, as in Slurm'),
  partitions: z.array(z.string()),
  cpus: z.int(),
  used_cpus: z.int(),
  memory_mib: z.int(),
  used_memory_mib: z.int(),
  gpus: z.array(slurmGpusSchema),
  worker: z.enum(slurmWorkerStates),
  request: slurmNodeRequestSchema
    .nullable()
    .describe('a drain or resume that Slurm has not carried out yet; only for admins'),
})

export const slurmPartitionSchema = z.object({
  name: z.string(),
  is_default: z.boolean(),
  state: z.string().describe("Slurm's word, such as UP"),
  nodes: z.int(),
  max_time_s: z.int().nullable().describe('null: unlimited'),
  gpus: z.int(),
  used_gpus: z.int(),
})

/** A Slurm job that gpuq did not submit. */
export const slurmOtherJobSchema = z.object({
  slurm_id: z.int(),
  user: z.string().nullable().describe('Unix account; only for admins'),
  name: z.string().nullable().describe('only for admins'),
  state: z.string(),
  partition: z.string(),
  nodes: z.array(z.string()),
  gpus: z.int(),
  cpus: z.int(),
  started_at: time.nullable(),
})

/** Totals of all nodes, also of those that are not listed. */
const slurmTotals = z.object({
  nodes: z.int(),
  ready_nodes: z.int().describe('nodes that accept jobs'),
  gpus: z.int().describe('GPUs of the nodes that are not down'),
  used_gpus: z.int().describe('used by any Slurm job, of gpuq or not'),
  free_gpus: z.int().describe('free GPUs of nodes that accept jobs'),
  without_worker: z
    .array(z.string())
    .describe('nodes that are not down and have no ready worker of gpuq; the first 20'),
  nodes_without_worker: z.int(),
})

/** `GET /api/slurm`. */
export const slurmClusterSchema = slurmStateSchema.extend({
  accounting: z.boolean().describe('whether Slurm keeps records of ended jobs'),
  may_drain: z.boolean().describe('true: admins can drain and resume nodes here (GPUQ_SLURM_ADMIN)'),
  totals: slurmTotals,
  matching_nodes: z.int().describe('number of nodes with the requested name and state'),
  nodes: z.array(slurmNodeSchema),
  partitions: z.array(slurmPartitionSchema),
  other_jobs: z.object({
    running: z.int(),
    waiting: z.int(),
    gpus: z.int().describe('GPUs that the running ones use'),
    largest: z
      .array(slurmOtherJobSchema)
      .describe('running ones, those with the most GPUs first; at most 50'),
  }),
})

/** `PATCH /api/slurm/nodes/{name}`, for admins. */
export const updateSlurmNodeSchema = z
  .strictObject({
    drained: z.boolean().describe('true: no new job starts there; running jobs continue'),
    reason: line(200).optional().describe('Slurm requires one for a drain, and shows it to all users'),
  })
  .superRefine(({ drained, reason }, context) => {
    if (!drained || reason !== undefined) return
    context.addIssue({
      code: 'custom',
      path: ['reason'],
      message: 'is required: Slurm shows it to all users',
    })
  })

const slurmName = z
  .string()
  .trim()
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/,
    'must be a name of Slurm: letters, digits, dots, dashes, underscores',
  )

const place = {
  account: slurmName.nullable().default(null).describe('null: the default account of the Slurm user'),
  partition: slurmName.nullable().default(null).describe("null: Slurm's default partition"),
  qos: slurmName.nullable().default(null).describe('null: the default QOS of the account'),
  reservation: slurmName.nullable().default(null).describe('null: none'),
}

/** Where the jobs of a project or of a pool go. A row of a project has precedence; a row with neither is the default. */
export const slurmTargetSchema = z.object({
  id: z.uuid(),
  owner: z.string().nullable().describe('owner of the project; null: the row is not for a project'),
  project_id: z.string().nullable(),
  pool: z.enum(pools).nullable(),
  account: z.string().nullable(),
  partition: z.string().nullable(),
  qos: z.string().nullable(),
  reservation: z.string().nullable(),
})

/** `POST /api/slurm/targets`. */
export const createSlurmTargetSchema = z.strictObject({
  project: z
    .string()
    .trim()
    .regex(/^[^/\s]+\/[^/\s]+$/, 'must be OWNER/PROJECT')
    .nullable()
    .default(null)
    .describe('OWNER/PROJECT; null: all projects'),
  pool: z.enum(pools).nullable().default(null).describe('null: all pools'),
  ...place,
})

/** `PUT /api/slurm/targets/{id}`. */
export const updateSlurmTargetSchema = z.strictObject(place)

export type SlurmClusterView = z.output<typeof slurmClusterSchema>
export type SlurmNodeView = z.output<typeof slurmNodeSchema>
export type SlurmOtherJob = z.output<typeof slurmOtherJobSchema>
export type SlurmPartitionView = z.output<typeof slurmPartitionSchema>
export type SlurmTargetView = z.output<typeof slurmTargetSchema>
export type CreateSlurmTarget = z.input<typeof createSlurmTargetSchema>
export type UpdateSlurmTarget = z.input<typeof updateSlurmTargetSchema>
export type UpdateSlurmNode = z.input<typeof updateSlurmNodeSchema>
