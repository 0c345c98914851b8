import * as z from 'zod'
import { pools } from '../config/pools'
import { line } from '../config/values'
import { startRangeSchema } from '../jobs'
import { engines, slurmStateSchema } from './engine'
import { gpuStates } from './gpu-states'
import { schedulingPolicies } from './policy-fields'

/** Requests and responses about the cluster. Shares are parts of 1, memory is in MiB, times are RFC 3339 UTC. */

const time = z.string().describe('RFC 3339, UTC')
const share = z.number().min(0).max(1)

/** Last readings of nvidia-smi; null: it did not report the value. */
export const gpuUseSchema = z.object({
  at: time,
  load: share.nullable(),
  memory_used_mib: z.number().nullable(),
  temperature_c: z.number().nullable(),
  power_w: z.number().nullable(),
})

/** A job on a GPU. A researcher sees only the share of other users' jobs. */
export const gpuJobSchema = z.object({
  job_id: z.uuid().nullable(),
  name: z.string().nullable(),
  user_id: z.string().nullable(),
  user_name: z.string().nullable().describe("the user's name; null: the user has set none"),
  share,
})

export const clusterGpuSchema = z.object({
  gpu_id: z.uuid(),
  index: z.int(),
  uuid: z.string(),
  model: z.string(),
  simulated: z.boolean(),
  state: z.enum(gpuStates),
  reason: z.string().nullable().describe('why it cannot be allocated, as text'),
  allocated: share,
  memory_mib: z.int(),
  use: gpuUseSchema.nullable(),
  jobs: z.array(gpuJobSchema),
})

/**
 * `ready` accepts jobs. `draining` and `drained`: its worker stops. `paused`: by an admin. `quarantined`: it failed too
 * often. `lost`: its worker does not answer.
 */
export const nodeStates = ['ready', 'draining', 'drained', 'paused', 'quarantined', 'lost'] as const

/** The test containers of a quarantined node. */
const nodeProbeSchema = z.object({
  next_at: z.string().nullable().describe('when the next one starts; null: the policy disables them'),
  last_at: z.string().nullable().describe('when the last one ended; null: none yet'),
  last_error: z.string().nullable().describe('why the last one failed; null: it passed'),
})

export const clusterNodeSchema = z.object({
  node_id: z.int(),
  name: z.string(),
  state: z.enum(nodeStates),
  reason: z.string().nullable().describe('why it accepts no jobs, as text'),
  simulated: z
    .boolean()
    .describe('created by /gpu/initialize; its GPUs do not exist, its containers are real'),
  pool: z.enum(pools),
  dedicated: z.boolean().describe('started for one job, and accepts no other'),
  engine_version: z.string(),
  warnings: z.array(z.string()).describe('only for admins'),
  probe: nodeProbeSchema
    .nullable()
    .describe('self-test of a quarantined node; null: not quarantined. Only for admins'),
  failed_checks: z.int().describe('number of failures in its last report; only for admins, otherwise 0'),
  cpu_milli: z.int(),
  cpu_used_milli: z.int(),
  memory_mib: z.int(),
  memory_used_mib: z.int(),
  warm_containers: z
    .int()
    .describe('containers that wait for a job like the latest ones, so that it starts at once'),
  warm_memory_mib: z.int().describe('memory in MiB that they use together'),
  gpus: z.array(clusterGpuSchema),
})

export const clusterStatusSchema = z.object({
  total_gpus: z.int(),
  available_gpus: z.int().describe('completely free GPUs on nodes that accept jobs'),
  allocated_gpus: z.number().describe('allocated GPUs, including parts of GPUs'),
  utilization_percent: z.number().describe('allocated part of all GPUs that can be allocated'),
  load_percent: z
    .number()
    .nullable()
    .describe('mean measured load of the GPUs; null: no load is measured, as on simulated GPUs'),
  nodes: z.int(),
  ready_nodes: z.int(),
  simulated_gpus: z.int(),
})

/** Query of `GET /api/cluster`. */
export const clusterQuerySchema = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('maximum number of nodes; default: all'),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0).describe('number of nodes to skip'),
  name: z.string().min(1).max(64).optional().describe('only nodes whose name contains this text'),
  not_ready: z.stringbool().optional().describe('true: only nodes that accept no jobs'),
})

/** `GET /api/cluster`, and `GET /gpu/status`. */
export const clusterSchema = z.object({
  cluster_status: clusterStatusSchema.describe('totals of all nodes, also of those that are not listed'),
  gpus_by_state: z
    .record(z.enum(gpuStates), z.int())
    .describe('of all nodes; closed: free, but its node accepts no jobs'),
  matching_nodes: z.int().describe('number of nodes with the requested name and state'),
  nodes: z.array(clusterNodeSchema),
})

const reason = line(200)

/** `PATCH /api/nodes/NODE_ID`, for admins. Running jobs continue. */
export const updateNodeSchema = z.strictObject({
  paused: z.boolean().optional().describe('true: no new job starts there; false: it accepts jobs again'),
  reason: reason.optional().describe('shown with the node, and to jobs that wait because of it'),
  quarantined: z.literal(false).optional().describe('ends a quarantine'),
})

/** `PATCH /api/gpus/GPU_ID`, for admins. */
export const updateGpuSchema = z.strictObject({ paused: z.boolean(), reason: reason.optional() })

/** `POST /gpu/initialize`, for admins. */
export const initializeSchema = z.strictObject({
  node_count: z.int().min(0).max(64).default(2).describe('0 removes the simulated nodes'),
  gpus_per_node: z.int().min(1).max(16).default(8),
})

/** A job in the queue. A researcher sees only the resources and times of other users' jobs. */
export const queueJobSchema = z.object({
  job_id: z.uuid().nullable().describe("null: another user's job"),
  group_id: z.uuid().nullable().default(null).describe('the group of jobs to which it belongs; null: none'),
  run_id: z.string().nullable(),
  name: z.string().nullable(),
  user: z.string().nullable(),
  user_name: z.string().nullable().describe("the user's name; null: the user has set none"),
  project_id: z.string().nullable(),
  command: z.string().nullable(),
  status: z.enum(['queued', 'scheduled', 'running']),
  gpu_count: z.number(),
  gpu_fraction: z.number().nullable(),
  gpu_memory_gb: z.number().nullable(),
  gpu_model: z.string().nullable(),
  instance_count: z.int().describe('number of nodes, each with gpu_count GPUs'),
  priority: z.int().describe('a higher number starts first'),
  line_priority: z
    .int()
    .nullable()
    .default(null)
    .describe(
      'the same as a jobs file and `gpuq add` write it, where a lower number starts first; null: the job is no line of one',
    ),
  position: z.int().nullable().describe('1 starts next; null once it has started, and while it cannot start'),
  expected_start: time.nullable().describe('null: it has started, or no start can be predicted'),
  expected_start_range: startRangeSchema
    .nullable()
    .describe('times between which 80 of 100 jobs start; null as expected_start'),
  expected_start_text: z
    .string()
    .nullable()
    .describe('what expected_start rests on; null: it depends on no running job'),
  reason: z.string().nullable().describe('code of the reason why it waits'),
  reason_detail: z.string().nullable(),
  reason_text: z.string().nullable().describe('the reason as text'),
  submitted_at: time,
  started_at: time.nullable(),
  estimated_duration_seconds: z.number(),
  node: z.string().nullable(),
  gpus: z.array(z.int()).describe('their indices on the node'),
})

/** `GET /queue`. */
export const queueSchema = z.object({
  queued: z.array(queueJobSchema).describe('in the expected order of their start; at most 1000'),
  running: z.array(queueJobSchema),
  queued_total: z.int(),
  running_total: z.int(),
  max_queue_size: z.int(),
  engine: z
    .enum(engines)
    .default('builtin')
    .describe('slurm: the order and expected_start are those of Slurm'),
})

/** `GET /orchestrator/status`. */
export const orchestratorSchema = z.object({
  running: z.boolean(),
  set_by_environment: z
    .boolean()
    .default(false)
    .describe(
      'true: RESEARCH_AGENT_GPU_ORCHESTRATION_ENABLED starts or stops it again at each start of gpuq',
    ),
  leader: z.boolean().describe('true: a worker is the leader now'),
  scheduling_policy: z.enum(schedulingPolicies),
  queued: z.int(),
  running_jobs: z.int(),
  engine: z
    .enum(engines)
    .default('builtin')
    .describe('slurm: Slurm decides where and when jobs run, and not the policy'),
  slurm: slurmStateSchema.nullable().default(null).describe('null: gpuq itself is the engine'),
})

export type Cluster = z.output<typeof clusterSchema>
export type ClusterQuery = z.output<typeof clusterQuerySchema>
export type NodesWanted = Partial<ClusterQuery>
export type UpdateNode = z.input<typeof updateNodeSchema>
export type UpdateGpu = z.input<typeof updateGpuSchema>
export type ClusterNode = z.output<typeof clusterNodeSchema>
export type GpuUse = z.output<typeof gpuUseSchema>
export type ClusterGpu = z.output<typeof clusterGpuSchema>
export type Queue = z.output<typeof queueSchema>
export type QueueJob = z.output<typeof queueJobSchema>
export type Orchestrator = z.output<typeof orchestratorSchema>
