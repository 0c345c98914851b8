import type { Project } from '@/lib/contract/access/projects'
import { toOptionalTexts } from '../shell/use-form'
import type { FormFields } from '../shell/use-schema-form'
import { NumberField } from '../ui/text-field'

type ShareTexts = Record<keyof Project['shares'], string>

/** The initial values of {@link ShareFields}. */
export const toShareTexts = ({ shares }: Project): ShareTexts => toOptionalTexts(shares)

const fields = [
  {
    name: 'weight',
    label: 'Weight',
    hint: 'A project with weight 2 gets twice as much as one with weight 1.',
  },
  { name: 'gpu_quota', label: 'GPU quota', hint: 'GPUs in use at once.', placeholder: 'no quota' },
  { name: 'gpu_hour_budget', label: 'GPU hour budget', hint: 'In total.', placeholder: 'no budget' },
] as const

/** The shares that admins may change. */
export function ShareFields({ form }: { form: FormFields<ShareTexts> }) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      {fields.map(({ name, ...field }) => (
        <NumberField key={name} {...field} {...form.field(name)} />
      ))}
    </div>
  )
}
