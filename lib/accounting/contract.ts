import * as z from 'zod'
import { accountingGroups, firstDay, isDay, lastDay, rangeOf } from './contract-range'

/** Rows of one answer; the CSV has all of them. */
export const maxAccountingRows = 1000

const day = z.iso.date({ abort: true }).refine(isDay, {
  abort: true,
  error: `must be a day between ${firstDay} and ${lastDay}`,
})

/** Query of `GET /api/accounting` and `GET /api/accounting.csv`. */
export const accountingQuerySchema = z
  .object({
    by: z.enum(accountingGroups).default('user').describe('what a row stands for'),
    from: day.optional().describe('first day (UTC), such as 2026-10-01; default: 12 weeks before `to`'),
    to: day.optional().describe('last day (UTC); default: today'),
    project: z.string().max(100).optional().describe('id of a project: only its jobs'),
  })
  .refine(
    (query) => {
      const { from, to } = rangeOf(query)
      return from <= to
    },
    { path: ['from'], error: 'must not be after `to`' },
  )

const hours = z.number().describe('hours')

/** What a group of jobs used. */
export const usageSchema = z.object({
  completed: z.int().describe('jobs that ended in the range, by status'),
  failed: z.int(),
  cancelled: z.int(),
  gpu_hours: hours.describe(
    'allocated GPUs times hours in the range, of all attempts, also of running jobs: as for budgets of projects',
  ),
  measured_gpu_hours: hours.describe('the part of them whose load is known'),
  used_gpu_hours: hours.describe('the measured hours times the load'),
  idle_gpu_hours: hours.describe('the measured hours that were not used'),
  efficiency: z.number().nullable().describe('used part of the measured hours; null: nothing was measured'),
  cpu_hours: hours.describe('CPU time of the jobs that ended in the range'),
  median_wait_s: z.number().nullable().describe('wait of these jobs for their start; null: none started'),
  p90_wait_s: z.number().nullable().describe('nine of ten jobs waited at most so long'),
})

export const accountingRowSchema = usageSchema.extend({
  group: z.string().describe('user_id, OWNER/PROJECT_ID, competition_id, or the Monday of the week (UTC)'),
  name: z.string().nullable().describe('name of the user or the project, if it has one'),
  project: z.string().nullable().describe('with by=project: id of the project'),
})

/** `GET /api/accounting`. */
export const accountingSchema = z.object({
  by: z.enum(accountingGroups),
  from: z.string().describe('first day'),
  to: z.string().describe('last day'),
  rows: z
    .array(accountingRowSchema)
    .describe(`weeks in their order, others with the most GPU hours first; at most ${maxAccountingRows}`),
  row_count: z.int().describe('number of all rows'),
  total: usageSchema,
})

export type AccountingQuery = z.output<typeof accountingQuerySchema>
export type AccountingRow = z.infer<typeof accountingRowSchema>
export type Accounting = z.infer<typeof accountingSchema>
export type Usage = z.infer<typeof usageSchema>
