import { z } from 'zod'
import { pools } from './config/schema'
import { isThousandths, label } from './config/values'

/** What the cluster's interfaces say and take. Shares are parts of 1, memory is MiB, times are RFC 3339 UTC. */

const time = z.string().describe('RFC 3339, UTC')
const share = z.number().min(0).max(1)

/** What nvidia-smi last said of a GPU; null where it did not say. */
export const gpuUseSchema = z.object({
  at: time,
  load: share.nullable(),
  memory_used_mib: z.number().nullable(),
  temperature_c: z.number().nullable(),
  power_w: z.number().nullable(),
})

/**
 * `free`: all of it can be given out. `shared`: a part is given out. `full`: all of it is. `outside`: others use it, or
 * it does not answer. `paused`: by an admin. `missing`: gone from its node. `closed`: its node takes no jobs.
 */
export const gpuStates = ['free', 'shared', 'full', 'outside', 'paused', 'missing', 'closed'] as const

/** A job on a GPU. Of others' jobs a researcher sees only the share. */
export const gpuJobSchema = z.object({
  job_id: z.string().nullable(),
  name: z.string().nullable(),
  user_id: z.string().nullable(),
  share,
})

export const clusterGpuSchema = z.object({
  gpu_id: z.string(),
  index: z.number().int(),
  uuid: z.string(),
  model: z.string(),
  simulated: z.boolean(),
  state: z.enum(gpuStates),
  reason: z.string().nullable().describe('why it is not given out, in a sentence'),
  allocated: share,
  memory_mib: z.number().int(),
  use: gpuUseSchema.nullable(),
  jobs: z.array(gpuJobSchema),
})

/**
 * `ready` takes jobs. `draining` and `drained`: its worker leaves. `paused`: by an admin. `quarantined`: it failed too
 * often. `lost`: its worker stopped answering.
 */
export const nodeStates = ['ready', 'draining', 'drained', 'paused', 'quarantined', 'lost'] as const

export const clusterNodeSchema = z.object({
  node_id: z.number().int(),
  name: z.string(),
  state: z.enum(nodeStates),
  reason: z.string().nullable().describe('why it takes no jobs, in a sentence'),
  simulated: z.boolean().describe('made by /gpu/initialize; its GPUs are nobody’s, its containers are real'),
  pool: z.enum(pools),
  dedicated: z.boolean().describe('brought up for one job, and takes no other'),
  engine_version: z.string(),
  warnings: z.array(z.string()).describe('for admins; empty for others'),
  cpu_milli: z.number().int(),
  cpu_used_milli: z.number().int(),
  memory_mib: z.number().int(),
  memory_used_mib: z.number().int(),
  gpus: z.array(clusterGpuSchema),
})

export const clusterStatusSchema = z.object({
  total_gpus: z.number().int(),
  available_gpus: z.number().int().describe('wholly free, on nodes that take jobs'),
  allocated_gpus: z.number().describe('given out, parts counted as parts'),
  utilization_percent: z.number().describe('of all GPUs that could be given out, how much is'),
  nodes: z.number().int(),
  ready_nodes: z.number().int(),
  simulated_gpus: z.number().int(),
})

/** Query of `GET /api/cluster`. */
export const clusterQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(1000).optional().describe('how many nodes; left out: all'),
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('how many nodes to leave out first'),
  name: z.string().min(1).max(64).optional().describe('only nodes with this in their name'),
  not_ready: z.stringbool().optional().describe('true: only nodes that take no jobs'),
})

/** `GET /api/cluster`, and `GET /gpu/status`. */
export const clusterSchema = z.object({
  cluster_status: clusterStatusSchema.describe('of all nodes, whichever are asked for'),
  gpus_by_state: z
    .record(z.enum(gpuStates), z.number().int())
    .describe('of all nodes; closed: would be free, but its node takes no jobs'),
  matching_nodes: z.number().int().describe('that have the name and state asked for'),
  nodes: z.array(clusterNodeSchema),
})

/** Query of `GET /api/cluster/history`. */
export const historyQuerySchema = z.object({
  nodes: z
    .string()
    .max(10_000)
    .regex(/^\d{1,9}(,\d{1,9})*$/, 'must be node numbers with commas between: 0,1,2')
    .transform((text) => text.split(',').map(Number))
    .optional()
    .describe('only the GPUs of the nodes of these numbers; left out: all GPUs'),
})

const series = (of: z.ZodNumber) => z.array(of.nullable())

/** `GET /api/cluster/history`: each GPU's last hour, oldest first; the arrays of one GPU have one length. */
export const clusterHistorySchema = z.object({
  gpus: z.array(
    z.object({
      gpu_id: z.string(),
      at: z.array(z.number().int()).describe('Unix time in seconds'),
      load: series(share),
      memory_used_mib: series(z.number()),
      temperature_c: series(z.number()),
      power_w: series(z.number()),
    }),
  ),
})

const reason = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'leave out line breaks and other control characters')

/** `PATCH /api/nodes/NODE_ID`, for admins. Running jobs finish in any case. */
export const updateNodeSchema = z.strictObject({
  paused: z.boolean().optional().describe('true drains it: nothing new starts there; false takes it back'),
  reason: reason.optional().describe('shown beside it, and to jobs that wait because of it'),
  quarantined: z.literal(false).optional().describe('ends a quarantine'),
})

/** `PATCH /api/gpus/GPU_ID`, for admins. */
export const updateGpuSchema = z.strictObject({ paused: z.boolean(), reason: reason.optional() })

/** `POST /gpu/initialize`, for admins. */
export const initializeSchema = z.strictObject({
  node_count: z.number().int().min(0).max(64).default(2).describe('0 removes the simulated nodes'),
  gpus_per_node: z.number().int().min(1).max(16).default(8),
})

export const schedulingPolicies = ['priority', 'fcfs', 'sjf', 'fair_share'] as const

/** `GET /orchestrator/policy`. */
export const policySchema = z.object({
  scheduling_policy: z.enum(schedulingPolicies),
  max_concurrent_jobs: z.number().int().min(0).max(1_000_000).nullable().describe('null: as many as fit'),
  enable_auto_retry: z.boolean().describe('whether jobs are tried again after faults of the system'),
  max_queue_size: z.number().int().min(0).max(1_000_000).describe('waiting jobs the queue API accepts'),
  backfill: z.boolean().describe('later jobs may start first where that delays nobody'),
  ageing_minutes: z.number().min(0.001).max(1e6).describe('waiting so long is worth one step of priority'),
  half_life_hours: z.number().min(0.001).max(1e6).describe('after so long, use counts half under fair_share'),
  memory_threshold: share.describe('a GPU whose memory others use beyond this share is not given out'),
  load_threshold: share.describe('a GPU that others load beyond this share is not given out'),
  quarantine_after: z.number().int().min(1).max(1000).describe('failures in a row that close a node'),
})

/** `PUT /orchestrator/policy`: what is left out stays. */
export const updatePolicySchema = z.strictObject(policySchema.partial().shape)

/** The model table, `GET` and `PUT /api/models`: how many GPUs `--llm NAME` stands for. */
const gpusOfModel = z.number().min(0.001).max(8).refine(isThousandths, 'must have at most three decimals')

export const modelTableSchema = z.strictObject({
  default_requirement: gpusOfModel.describe('GPUs for a name that is not in the table'),
  models: z.record(label(200), gpusOfModel).superRefine((models, context) => {
    const seen = new Set<string>()
    for (const name of Object.keys(models)) {
      const message = 'this name is there twice: capital and small letters are the same'
      if (seen.has(name.toLowerCase())) context.addIssue({ code: 'custom', path: [name], message })
      seen.add(name.toLowerCase())
    }
  }),
})

/** A job in the queue. Of others' jobs a researcher sees only what they take and when. */
export const queueJobSchema = z.object({
  job_id: z.string().nullable().describe('null: another user’s'),
  run_id: z.string().nullable(),
  name: z.string().nullable(),
  user: z.string().nullable(),
  project_id: z.string().nullable(),
  command: z.string().nullable(),
  status: z.enum(['queued', 'scheduled', 'running']),
  gpu_count: z.number(),
  gpu_fraction: z.number().nullable(),
  gpu_memory_gb: z.number().nullable(),
  gpu_model: z.string().nullable(),
  instance_count: z.number().int().describe('on how many nodes it runs at once, each with so many GPUs'),
  priority: z.number().int(),
  position: z.number().int().nullable().describe('1 starts next; null once it has started'),
  expected_start: time.nullable().describe('null: it has started, or will not under what is free now'),
  reason: z.string().nullable().describe('why it waits'),
  reason_detail: z.string().nullable(),
  reason_text: z.string().nullable().describe('the reason in words'),
  submitted_at: time,
  started_at: time.nullable(),
  estimated_duration_seconds: z.number(),
  node: z.string().nullable(),
  gpus: z.array(z.number().int()).describe('their numbers on the node'),
})

/** `GET /queue`. */
export const queueSchema = z.object({
  queued: z.array(queueJobSchema).describe('in the order they should start; the first thousand'),
  running: z.array(queueJobSchema),
  queued_total: z.number().int(),
  running_total: z.number().int(),
  max_queue_size: z.number().int(),
})

/** `GET /orchestrator/status`. */
export const orchestratorSchema = z.object({
  running: z.boolean(),
  leader: z.boolean().describe('whether a worker leads the scheduler now'),
  scheduling_policy: z.enum(schedulingPolicies),
  queued: z.number().int(),
  running_jobs: z.number().int(),
})

export type Cluster = z.output<typeof clusterSchema>
export type ClusterQuery = z.output<typeof clusterQuerySchema>
/** Which nodes are meant, all where nothing is said. */
export type NodesWanted = Partial<ClusterQuery>
export type UpdateNode = z.input<typeof updateNodeSchema>
export type UpdateGpu = z.input<typeof updateGpuSchema>
export type Initialize = z.input<typeof initializeSchema>
export type UpdatePolicy = z.input<typeof updatePolicySchema>
export type ClusterNode = z.output<typeof clusterNodeSchema>
export type ClusterGpu = z.output<typeof clusterGpuSchema>
export type ClusterHistory = z.output<typeof clusterHistorySchema>
export type Policy = z.output<typeof policySchema>
export type ModelTable = z.output<typeof modelTableSchema>
export type Queue = z.output<typeof queueSchema>
export type QueueJob = z.output<typeof queueJobSchema>
export type Orchestrator = z.output<typeof orchestratorSchema>
