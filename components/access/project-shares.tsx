'use client'

import type { Project } from '@/lib/contract/access'
import { numberText, optionalNumberText } from '../shell/number-text'
import { DataList, Datum } from '../ui/data-list'
import { Field } from '../ui/field'
import { Input } from '../ui/input'

/** What part of the cluster a project may use, as one types it. */
export const shareTexts = {
  weight: numberText({ min: 0.001, max: 1_000_000 }),
  gpu_quota: optionalNumberText({ min: 0, max: 100_000 }),
  gpu_hour_budget: optionalNumberText({ min: 0, max: 1_000_000_000 }),
}

interface ShareValues {
  weight: string
  gpu_quota: string
  gpu_hour_budget: string
}

/** The texts that stand for a project's shares. */
export function toShareTexts({ shares }: Project): ShareValues {
  const { weight, gpu_quota, gpu_hour_budget } = shares
  return {
    weight: String(weight),
    gpu_quota: gpu_quota === null ? '' : String(gpu_quota),
    gpu_hour_budget: gpu_hour_budget === null ? '' : String(gpu_hour_budget),
  }
}

interface ShareFieldsProps {
  values: ShareValues
  errorOf: (name: keyof ShareValues) => string | undefined
  set: (change: Partial<ShareValues>) => void
}

const fields = [
  { name: 'weight', label: 'Weight', hint: 'Beside other projects, under fair share.' },
  { name: 'gpu_quota', label: 'GPU quota', hint: 'GPUs at once.', placeholder: 'no quota' },
  { name: 'gpu_hour_budget', label: 'GPU hours', hint: 'Its budget in all.', placeholder: 'no budget' },
] as const

/** Takes a project's shares, for admins. */
export function ShareFields({ values, errorOf, set }: ShareFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      {fields.map(({ name, label, hint, ...input }) => (
        <Field key={name} label={label} hint={hint} error={errorOf(name)}>
          <Input
            inputMode="decimal"
            autoComplete="off"
            value={values[name]}
            onChange={(event) => set({ [name]: event.target.value })}
            {...input}
          />
        </Field>
      ))}
    </div>
  )
}

/** The same for those who may only know it, and the hours that were used. */
export function ProjectUse({ project }: { project: Project }) {
  const { weight, gpu_quota, gpu_hour_budget } = project.shares
  const hours = project.gpu_hours_used.toLocaleString('en', { maximumFractionDigits: 1 })
  return (
    <DataList className="grid-cols-3">
      <Datum label="Weight">{weight}</Datum>
      <Datum label="GPU quota">{gpu_quota ?? 'none'}</Datum>
      <Datum label="GPU hours used">
        {hours}
        {gpu_hour_budget === null ? '' : ` of ${gpu_hour_budget.toLocaleString('en')}`}
      </Datum>
    </DataList>
  )
}
