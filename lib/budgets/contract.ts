import * as z from 'zod'
import { budgetPeriods } from '../contract/access/budget'
import { describeGpuHours } from '../contract/access/gpu-hours'

/** Budgets: the GPU hours that the jobs of a user, a project, a token or a group may use in a period. */

export const budgetSchema = z.object({
  kind: z.enum(['user', 'project', 'token', 'group']).describe('whose jobs it limits'),
  owner_id: z.uuid().describe('the id of the project, the token or the group'),
  name: z.string().describe('the user_id, OWNER/PROJECT_ID, or the name of the token or the group'),
  label: z.string().describe('kind and name, for people'),
  gpu_hours: z.number(),
  period: z.enum(budgetPeriods).describe('in UTC; total: there is one period'),
  resets_at: z.string().nullable().describe('when the next period begins: RFC 3339, UTC; null: never'),
  used_gpu_hours: z
    .number()
    .describe('in this period: allocated GPUs times hours, of all attempts, also of running jobs'),
  left_gpu_hours: z.number(),
  gpus: z.number().describe('GPUs that its jobs hold now'),
  when_used_up: z.enum(['wait', 'stop']).describe('what happens to its running jobs when nothing is left'),
  sentence: z.string().describe('what is used and what is left, for people'),
})
export type Budget = z.output<typeof budgetSchema>

/** Query of `GET /api/budgets`. */
export const listBudgetsSchema = z.object({
  job: z.uuid().optional().describe('the budgets of this job instead'),
  project: z.uuid().optional().describe('the budget of this project instead, by its id'),
})

type Use = Pick<Budget, 'gpu_hours' | 'period' | 'resets_at' | 'used_gpu_hours'>

/** Says what is used of a budget and what is left. It is never 0.0 by rounding: an agent would give up. */
export function describeBudget({ gpu_hours, period, resets_at, used_gpu_hours }: Use): string {
  const until = resets_at === null ? '' : describeReset(period, new Date(resets_at))
  const left = gpu_hours - used_gpu_hours
  // The same until it changes: how much running jobs use beyond it is in the numbers.
  if (left <= 0) {
    const all = gpu_hours === 0 ? 'The budget is 0 GPU hours' : `All ${hours(gpu_hours)} are used`
    return until === '' ? `${all}.` : `${all}${spans[period]}; nothing is left until ${until}.`
  }
  const digits = left >= 0.1 ? 1 : Math.min(mostDigits, 1 - Math.floor(Math.log10(left)))
  const rest = round(left, digits) || `less than ${10 ** -mostDigits}`
  const end = until === '' ? '' : ` until ${until}`
  return `${round(used_gpu_hours, digits)} of ${hours(gpu_hours)} used${spans[period]}; ${rest} left${end}.`
}

const mostDigits = 4
const spans = { total: '', day: ' today', week: ' this week', month: ' this month' } as const

const round = (value: number, digits: number) => Number(value.toFixed(digits))

const hours = (value: number) => describeGpuHours(round(value, mostDigits))

/** When the next period begins: "00:00 UTC", "Monday 00:00 UTC" or "1 December 00:00 UTC". */
function describeReset(period: Budget['period'], at: Date): string {
  const day: Intl.DateTimeFormatOptions | null =
    period === 'week' ? { weekday: 'long' } : period === 'month' ? { day: 'numeric', month: 'long' } : null
  return `${day === null ? '' : `${new Intl.DateTimeFormat('en-GB', { ...day, timeZone: 'UTC' }).format(at)} `}00:00 UTC`
}
