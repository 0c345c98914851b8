import type { Project } from '@/lib/contract/access/projects'
import { toOptionalTexts } from '../shell/use-form'
import type { FormFields } from '../shell/use-schema-form'
import { NumberField } from '../ui/text-field'
import { BudgetFields, toBudgetTexts } from './budget-fields'

type ShareTexts = ReturnType<typeof toShareTexts>

/** The initial values of {@link ShareFields}. */
export const toShareTexts = ({ shares: { weight, gpu_quota, ...budget } }: Project) => ({
  ...toOptionalTexts({ weight, gpu_quota }),
  ...toBudgetTexts(budget),
})

const fields = [
  {
    name: 'weight',
    label: 'Weight',
    hint: 'A project with weight 2 gets twice as much as one with weight 1.',
  },
  { name: 'gpu_quota', label: 'GPU quota', hint: 'GPUs in use at once.', placeholder: 'no quota' },
] as const

/** The shares that admins may change. */
export function ShareFields({ form }: { form: FormFields<ShareTexts> }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {fields.map(({ name, ...field }) => (
        <NumberField key={name} {...field} {...form.field(name)} />
      ))}
      <BudgetFields form={form} />
    </div>
  )
}
