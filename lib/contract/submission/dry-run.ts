import * as z from 'zod'
import { queueJobSchema } from '../cluster/cluster'
import { idSchema } from '../jobs'

/** One kind of GPU that the cluster has. */
export const hardwareSchema = z.object({
  model: z.string().nullable().describe('null: Slurm does not name it'),
  memory_mib: z.int().nullable().describe('memory of each GPU; null: Slurm does not know it'),
  gpus: z.int().describe('of all registered nodes, also of those that accept no jobs now'),
  free: z.int().describe('GPUs that no job uses, on nodes that accept jobs'),
  largest_node: z.int().describe('the most of these GPUs that one node has'),
  simulated: z.boolean(),
})

/** How many more jobs a limit permits after this one. */
const left = z.int().nullable().describe('null: no limit')

/** The answer of a submission with `?dry_run=true`. */
export const dryRunSchema = z.object({
  dry_run: z.literal(true),
  text: z.string().describe('what would happen, as a sentence'),
  project_id: idSchema,
  project_note: z
    .string()
    .nullable()
    .describe('says that the submission would create the project; null: it exists'),
  environment: z.string(),
  resources: queueJobSchema
    .pick({ gpu_count: true, gpu_fraction: true, gpu_memory_gb: true, gpu_model: true, instance_count: true })
    .extend({ cpu: z.number().nullable(), memory_gb: z.number().nullable(), pool: z.string() })
    .describe('what the job asks for; null: no condition, or a share of the node'),
  max_time: z.int().describe('seconds after which the job is stopped'),
  waits_for: z.array(z.string()).describe('jobs and groups of depends_on for which it would wait'),
  queue_position: z
    .int()
    .nullable()
    .describe('null: it has no place in the queue, because it waits for other jobs or for an approval'),
  expected_start: queueJobSchema.shape.expected_start.describe(
    'null: no start can be predicted, or Slurm decides',
  ),
  expected_start_text: queueJobSchema.shape.expected_start_text.describe(
    'what the time rests on, what the job would wait for, or who decides the start; null: none of them',
  ),
  left: z
    .object({ submissions_this_minute: left, active_jobs: left, waiting_jobs: left, dependent_jobs: left })
    .describe('what your limits permit after this job'),
  hardware: z.array(hardwareSchema),
})

/** The same for what is no job: a feature says what it would become. */
export const otherDryRunSchema = z.looseObject({ dry_run: z.literal(true), text: z.string() })

export type Hardware = z.infer<typeof hardwareSchema>
export type DryRun = z.infer<typeof dryRunSchema>
export type OtherDryRun = z.infer<typeof otherDryRunSchema>

export const isJobDryRun = (answer: DryRun | OtherDryRun): answer is DryRun => 'resources' in answer
