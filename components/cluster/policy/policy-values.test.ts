import { describe, expect, it } from 'vitest'
import type { Policy } from '@/lib/contract/cluster/policy'
import { check } from '../../shell/use-schema-form'
import { policyFormSchema } from './policy-schemas'
import { toPolicyValues } from './policy-values'

const policy: Policy = {
  scheduling_policy: 'fair_share',
  max_concurrent_jobs: null,
  enable_auto_retry: true,
  max_queue_size: 100,
  backfill: false,
  predict_run_times: true,
  ageing_minutes: 0.5,
  half_life_hours: 168,
  memory_threshold: 0.8,
  load_threshold: 1,
  quarantine_after: 3,
  probe_quarantined: true,
  idle_gpu_minutes: null,
  require_existing_projects: false,
}

describe('policy form', () => {
  it.each([policy, { ...policy, max_concurrent_jobs: 0 }])('converts a policy to text and back', (given) => {
    expect(policyFormSchema.parse(toPolicyValues(given))).toEqual(given)
  })

  it.each([
    ['max_concurrent_jobs', 'many', 'Use a whole number from 0 to 1,000,000, or leave it empty.'],
    ['max_queue_size', '', 'Use a whole number from 0 to 1,000,000.'],
    ['load_threshold', '80', 'Use a number from 0 to 1.'],
    ['quarantine_after', '0', 'Use a whole number from 1 to 1,000.'],
  ])('reports an error in %s', (field, text, message) => {
    const checked = check(policyFormSchema, { ...toPolicyValues(policy), [field]: text })
    expect(checked.errors).toEqual({ [field]: message })
  })
})
