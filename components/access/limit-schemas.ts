import * as z from 'zod'
import { budgetFields } from '@/lib/contract/access/budget'
import { pools } from '@/lib/contract/config/pools'
import { numberText, optionalNumberText } from '../shell/form-values'
import { anyPools } from './limit-fields'

/* The schemas of limits and shares, which forms load when they are submitted: zod is large. */

const whole = (min: number, max: number) => optionalNumberText({ min, max, whole: true })

/** The storage quota of a user or a project in GiB, as text. */
export const storageQuotaText = optionalNumberText({ min: 0, max: 1_000_000 })

/** The limits of a user, a project or a role, as text. Empty text means that the next limit applies. */
export const limitShape = {
  submissions_per_minute: whole(0, 1_000_000),
  max_active_jobs: whole(0, 1_000_000),
  max_waiting_jobs: whole(0, 1_000_000),
  max_priority: whole(-100, 100),
  max_time: optionalNumberText({ min: 1, max: 2_592_000 }),
  max_gpus: optionalNumberText({ min: 0, max: 100_000 }),
  max_concurrent_gpus: optionalNumberText({ min: 0, max: 100_000 }),
  max_cpu: optionalNumberText({ min: 0.1, max: 100_000 }),
  max_memory_gb: optionalNumberText({ min: 0.1, max: 1_000_000 }),
  pools: z
    .string()
    .transform((text) =>
      text === anyPools ? null : pools.filter((pool) => text.split(', ').includes(pool)),
    ),
}

/** The budget of a user or a project, as text. */
export const budgetShape = {
  gpu_hour_budget: optionalNumberText({ min: 0, max: 1_000_000_000 }),
  budget_period: budgetFields.budget_period,
  budget_when_used_up: budgetFields.budget_when_used_up,
}

/** A project's share of the cluster, as text. */
export const shareShape = {
  weight: numberText({ min: 0.001, max: 1_000_000 }),
  gpu_quota: optionalNumberText({ min: 0, max: 100_000 }),
  ...budgetShape,
}

/** The form of the limits of a role. */
export const roleLimitsSchema = z.object(limitShape)
