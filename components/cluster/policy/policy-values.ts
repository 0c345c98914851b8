import type { Policy } from '@/lib/contract/cluster/policy'
import { toOptionalTexts } from '../../shell/use-form'
import type { PolicyValues } from './policy-schemas'

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
