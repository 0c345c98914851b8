import * as z from 'zod'
import type { ApiLimits } from '@/lib/contract/access/limits'
import { type Pool, pools } from '@/lib/contract/config/pools'
import { optionalNumberText, toOptionalTexts } from '../shell/form-values'
import type { FormFields } from '../shell/use-schema-form'
import { SelectField } from '../ui/select'
import { NumberField } from '../ui/text-field'

const whole = (min: number, max: number) => optionalNumberText({ min, max, whole: true })

/** Radix does not allow the empty string as the value of an option. */
const anyPools = 'unset'
const toPoolText = (set: readonly Pool[]) => pools.filter((pool) => set.includes(pool)).join(', ')
/** Every set of pools, as text. Each bit of the number says whether the set has one of the pools. */
const poolTexts = Array.from({ length: 2 ** pools.length }, (_, bits) => {
  const set = pools.filter((_pool, index) => (bits >> index) % 2 === 1)
  return toPoolText(set) || anyPools
})

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

const limitsForm = z.object(limitShape)
type LimitTexts = z.input<typeof limitsForm>

/** The initial values of {@link LimitFields}. */
export function toLimitTexts({ pools: allowed, ...numbers }: ApiLimits): LimitTexts {
  return { ...toOptionalTexts(numbers), pools: allowed === null ? anyPools : toPoolText(allowed) }
}

/** Takes the limits out of the parsed values of a form that has {@link LimitFields}. */
export function takeLimits<Values extends ApiLimits>(values: Values) {
  const pick = (isLimit: boolean) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => name in limitShape === isLimit))
  return { limits: pick(true) as ApiLimits, others: pick(false) as Omit<Values, keyof ApiLimits> }
}

const numberFields = [
  { name: 'submissions_per_minute', label: 'Submissions per minute' },
  { name: 'max_active_jobs', label: 'Active jobs' },
  { name: 'max_waiting_jobs', label: 'Waiting jobs' },
  { name: 'max_priority', label: 'Highest priority' },
  { name: 'max_time', label: 'Run time of a job (seconds)' },
  { name: 'max_gpus', label: 'GPUs of a job' },
  { name: 'max_concurrent_gpus', label: 'GPUs in use at once' },
  { name: 'max_cpu', label: 'CPU cores without a GPU' },
  { name: 'max_memory_gb', label: 'Memory without a GPU (GB)' },
] as const

interface LimitFieldsProps {
  form: FormFields<LimitTexts>
  /** What an empty field means. */
  unset?: string
}

/** The limits of a user, a project or a role. */
export function LimitFields({ form, unset = 'default' }: LimitFieldsProps) {
  const poolOptions = poolTexts.map((value) => ({ value, label: value === anyPools ? unset : value }))
  return (
    <>
      {numberFields.map(({ name, label }) => (
        <NumberField key={name} label={label} placeholder={unset} {...form.field(name)} />
      ))}
      <SelectField label="Pools" options={poolOptions} {...form.field('pools')} />
    </>
  )
}
