import * as z from 'zod'
import { isThousandths, label } from '../config/values'
import { schedulingPolicies } from './policy-fields'

/** Requests and responses about the scheduling policy and the model table. */

const share = z.number().min(0).max(1)

/** `GET /orchestrator/policy`. */
export const policySchema = z.object({
  scheduling_policy: z.enum(schedulingPolicies),
  max_concurrent_jobs: z.int().min(0).max(1_000_000).nullable().describe('null: no limit'),
  enable_auto_retry: z.boolean().describe('true: jobs are retried after system faults'),
  max_queue_size: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe('maximum number of waiting jobs, from all interfaces'),
  backfill: z.boolean().describe('true: later jobs may start first if this delays no earlier job'),
  predict_run_times: z
    .boolean()
    .describe(
      'true: the scheduler predicts run times from earlier jobs; false: it uses the estimates of users',
    ),
  ageing_minutes: z.number().min(0.001).max(1e6).describe('waiting this long raises the priority by 1'),
  half_life_hours: z
    .number()
    .min(0.001)
    .max(1e6)
    .describe('past use counts half after this time, with fair_share'),
  memory_threshold: share.describe('a GPU is not allocated if other programs use more of its memory'),
  load_threshold: share.describe('a GPU is not allocated if other programs load it more'),
  quarantine_after: z.int().min(1).max(1000).describe('number of failures in a row that quarantine a node'),
  probe_quarantined: z
    .boolean()
    .describe('true: a quarantined node tests itself and returns to service when a test container works'),
  idle_gpu_minutes: z
    .int()
    .min(2)
    .max(100_000)
    .nullable()
    .describe(
      'a job none of whose GPUs had a load for this time is stopped, after a warning at half of it; null: never',
    ),
  require_existing_projects: z
    .boolean()
    .describe('true: gpuq refuses a project_id that its user does not have; false: it creates the project'),
})

/** The fields that apply if Slurm is the engine. Slurm decides everything else. */
export const slurmPolicyFields = [
  'max_queue_size',
  'enable_auto_retry',
  'idle_gpu_minutes',
  'require_existing_projects',
] as const satisfies (keyof z.output<typeof policySchema>)[]

const setByEnvironment = z.enum(['running', 'scheduling_policy', 'max_queue_size'])

/** The response of `GET` and `PUT /orchestrator/policy`. */
export const shownPolicySchema = policySchema.extend({
  set_by_environment: z
    .array(setByEnvironment)
    .default([])
    .describe('fields that environment variables set again at each start'),
})

/** `PUT /orchestrator/policy`: absent fields keep their values. */
export const updatePolicySchema = z.strictObject(policySchema.partial().shape)

/** The model table, `GET` and `PUT /api/models`: number of GPUs for `--llm NAME`. */
const gpusOfModel = z.number().min(0.001).max(8).refine(isThousandths, 'must have at most three decimals')

export const modelTableSchema = z.strictObject({
  default_requirement: gpusOfModel.describe('number of GPUs for a name that is not in the table'),
  models: z.record(label(200), gpusOfModel).superRefine((models, context) => {
    const seen = new Set<string>()
    for (const name of Object.keys(models)) {
      const message = 'this name appears twice: upper and lower case are the same'
      if (seen.has(name.toLowerCase())) context.addIssue({ code: 'custom', path: [name], message })
      seen.add(name.toLowerCase())
    }
  }),
})

export type Policy = z.output<typeof policySchema>
export type ShownPolicy = z.output<typeof shownPolicySchema>
export type ModelTable = z.output<typeof modelTableSchema>
