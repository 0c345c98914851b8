import * as z from 'zod'
import type { Policy } from '@/lib/contract/cluster/policy'
import { schedulingPolicies } from '@/lib/contract/cluster/policy-fields'
import { numberText, optionalNumberText, toOptionalTexts } from '../../shell/form-values'

const jobs = { min: 0, max: 1_000_000, whole: true }
const share = numberText({ min: 0, max: 1 })
/** The API accepts any positive number. Shorter times make no sense. */
const span = numberText({ min: 0.001, max: 1_000_000 })

/** The policy as text. */
export const policyForm = z.object({
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

/** The field of `idle_gpu_minutes`. */
export const idleGpuField = {
  label: 'Stop jobs with idle GPUs (minutes)',
  hint: 'A job none of whose GPUs had a load for this time is stopped, after a warning at half of it. Empty: never.',
  optional: true,
  placeholder: 'never',
} as const

/** The switch of `require_existing_projects`. */
export const existingProjectsField = {
  label: 'Projects must exist',
  description:
    'A submission to a project that its user does not have is refused, and names their projects. Otherwise it creates a private project.',
} as const

export type PolicyValues = z.input<typeof policyForm>

/** The initial values of the policy form. */
export function toPolicyValues(policy: Policy): PolicyValues {
  const { scheduling_policy, enable_auto_retry, backfill, predict_run_times, ...more } = policy
  const { probe_quarantined, require_existing_projects, ...numbers } = more
  const switches = {
    enable_auto_retry,
    backfill,
    predict_run_times,
    probe_quarantined,
    require_existing_projects,
  }
  return { scheduling_policy, ...switches, ...toOptionalTexts(numbers) }
}
