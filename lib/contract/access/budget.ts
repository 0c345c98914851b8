import * as z from 'zod'

/** From midnight, from Monday, or from the first of the month, in UTC; total: from the beginning. */
export const budgetPeriods = ['total', 'day', 'week', 'month'] as const

/** The GPU hours that the jobs of a user or a project may use. */
export const budgetFields = {
  gpu_hour_budget: z
    .number()
    .min(0)
    .max(1e9)
    .nullable()
    .describe('GPU hours that may be used in each period; null: no budget'),
  budget_period: z
    .enum(budgetPeriods)
    .describe('day, week (from Monday) or month, in UTC; total: there is one period'),
  budget_when_used_up: z
    .enum(['wait', 'stop'])
    .describe(
      'wait: running jobs go on and others wait; stop: running jobs are stopped, and new ones are refused',
    ),
}

/** The same in an answer. A server of an earlier version leaves them out. */
export const shownBudgetFields = {
  gpu_hour_budget: budgetFields.gpu_hour_budget.default(null),
  budget_period: budgetFields.budget_period.default('total'),
  budget_when_used_up: budgetFields.budget_when_used_up.default('wait'),
}
