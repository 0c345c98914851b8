import type { budgetPeriods } from '@/lib/contract/access/budget'
import type { Project } from '@/lib/contract/access/projects'
import { type FormFields, toOptionalText } from '../shell/use-form'
import { SelectField } from '../ui/select'
import { NumberField } from '../ui/text-field'

type BudgetOf = Pick<Project['shares'], 'gpu_hour_budget' | 'budget_period' | 'budget_when_used_up'>
type BudgetTexts = Omit<BudgetOf, 'gpu_hour_budget'> & { gpu_hour_budget: string }

/** The initial values of {@link BudgetFields}. */
export const toBudgetTexts = (of: BudgetOf): BudgetTexts => ({
  gpu_hour_budget: toOptionalText(of.gpu_hour_budget),
  budget_period: of.budget_period,
  budget_when_used_up: of.budget_when_used_up,
})

const periods: readonly { value: (typeof budgetPeriods)[number]; label: string }[] = [
  { value: 'total', label: 'in total' },
  { value: 'day', label: 'each day' },
  { value: 'week', label: 'each week' },
  { value: 'month', label: 'each month' },
]

const ends = [
  { value: 'wait', label: 'further jobs wait' },
  { value: 'stop', label: 'jobs are stopped' },
] as const

/** The budget of a user or a project. */
export function BudgetFields({ form }: { form: FormFields<BudgetTexts> }) {
  return (
    <>
      <NumberField label="GPU hour budget" placeholder="no budget" {...form.field('gpu_hour_budget')} />
      <SelectField
        label="Period of the budget"
        hint="Days, weeks and months begin at 00:00 UTC."
        options={periods}
        {...form.field('budget_period')}
      />
      <SelectField label="When it is used up" options={ends} {...form.field('budget_when_used_up')} />
    </>
  )
}
