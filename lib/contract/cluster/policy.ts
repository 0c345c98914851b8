import * as z from 'zod'
import { isThousandths, label } from '../config/values'
import { policyMeanings as meanings, schedulingPolicies } from './policy-fields'

/** Requests and responses about the scheduling policy and the model table. */

const share = z.number().min(0).max(1)

/** `GET /orchestrator/policy`. */
export const policySchema = z.object({
  scheduling_policy: z.enum(schedulingPolicies),
  max_concurrent_jobs: z.int().min(0).max(1_000_000).nullable().describe(meanings.max_concurrent_jobs),
  enable_auto_retry: z.boolean().describe(meanings.enable_auto_retry),
  max_queue_size: z.int().min(0).max(1_000_000).describe(meanings.max_queue_size),
  backfill: z.boolean().describe(meanings.backfill),
  predict_run_times: z.boolean().describe(meanings.predict_run_times),
  ageing_minutes: z.number().min(0.001).max(1e6).describe(meanings.ageing_minutes),
  half_life_hours: z.number().min(0.001).max(1e6).describe(meanings.half_life_hours),
  memory_threshold: share.describe(meanings.memory_threshold),
  load_threshold: share.describe(meanings.load_threshold),
  quarantine_after: z.int().min(1).max(1000).describe(meanings.quarantine_after),
  probe_quarantined: z.boolean().describe(meanings.probe_quarantined),
  idle_gpu_minutes: z.int().min(2).max(100_000).nullable().describe(meanings.idle_gpu_minutes),
  require_existing_projects: z.boolean().describe(meanings.require_existing_projects),
})

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
