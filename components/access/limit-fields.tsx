import type { ApiLimits } from '@/lib/contract/access/limits'
import { type Pool, pools } from '@/lib/contract/config/pools'
import { type FormFields, toOptionalTexts } from '../shell/use-form'
import { SelectField } from '../ui/select'
import { NumberField } from '../ui/text-field'

/** Radix does not allow the empty string as the value of an option. */
export const anyPools = 'unset'
const toPoolText = (set: readonly Pool[]) => pools.filter((pool) => set.includes(pool)).join(', ')
/** Every set of pools, as text. Each bit of the number says whether the set has one of the pools. */
const poolTexts = Array.from({ length: 2 ** pools.length }, (_, bits) => {
  const set = pools.filter((_pool, index) => (bits >> index) % 2 === 1)
  return toPoolText(set) || anyPools
})

type LimitTexts = Record<keyof ApiLimits, string>

/** The initial values of {@link LimitFields}. */
export function toLimitTexts({ pools: allowed, ...numbers }: ApiLimits): LimitTexts {
  return { ...toOptionalTexts(numbers), pools: allowed === null ? anyPools : toPoolText(allowed) }
}

/** Takes the limits out of the parsed values of a form that has {@link LimitFields}. */
export function takeLimits<Values extends ApiLimits>(values: Values) {
  const pick = (isLimit: boolean) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => limitNames.has(name) === isLimit))
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

const limitNames: ReadonlySet<string> = new Set(['pools', ...numberFields.map(({ name }) => name)])

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
