import * as z from 'zod'
import { schedulingPolicies } from '@/lib/contract/cluster/policy-fields'
import { numberText, optionalNumberText } from '../../shell/form-values'
import { readModelJson } from './read-models'

/* The schemas of the forms of the policy page, which load them when they are submitted: zod is large. */

const jobs = { min: 0, max: 1_000_000, whole: true }
const share = numberText({ min: 0, max: 1 })
/** The API accepts any positive number. Shorter times make no sense. */
const span = numberText({ min: 0.001, max: 1_000_000 })

/** The policy as text. */
export const policyFormSchema = z.object({
  scheduling_policy: z.enum(schedulingPolicies),
  max_concurrent_jobs: optionalNumberText(jobs),
  enable_auto_retry: z.boolean(),
  max_queue_size: numberText(jobs),
  backfill: z.boolean(),
  predict_run_times: z.boolean(),
  ageing_minutes: span,
  half_life_hours: span,
  memory_threshold: share,
  load_threshold: share,
  quarantine_after: numberText({ min: 1, max: 1000, whole: true }),
  probe_quarantined: z.boolean(),
  idle_gpu_minutes: optionalNumberText({ min: 2, max: 100_000, whole: true }),
  require_existing_projects: z.boolean(),
})

/** A whole model table as JSON. */
export const pastedModelsSchema = z.object({
  json: z.string().transform((text, context) => {
    const read = readModelJson(text)
    if (read.ok) return read.table
    context.addIssue(read.message)
    return z.NEVER
  }),
})

export type PolicyValues = z.input<typeof policyFormSchema>
