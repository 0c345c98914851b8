import { z } from 'zod'
import { type ModelTable, modelTableSchema } from '@/lib/contract/cluster'
import { isThousandths } from '@/lib/contract/config/values'
import { numberText } from '../../shell/number-text'

/** One line of the model table as one types it. */
export interface ModelRow {
  /** Stays the same while the name changes. */
  id: number
  name: string
  need: string
}

export interface RowErrors {
  name?: string
  need?: string
}

type ReadRows =
  | { ok: true; table: ModelTable }
  | { ok: false; defaultError: string | undefined; rowErrors: ReadonlyMap<number, RowErrors> }

const needText = numberText({ min: 0.001, max: 8 }).refine(isThousandths, 'Use at most three decimals.')
const nameText = z.string().trim().min(1, 'Name the model.').max(200, 'Use at most 200 characters.')

/** The rows that stand for a table, its names in order. */
export function toModelRows({ models }: ModelTable): ModelRow[] {
  return Object.entries(models)
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([name, need], id) => ({ id, name, need: String(need) }))
}

/** The table that was typed, or what to change beside each field. */
export function readModelRows(defaultNeed: string, rows: readonly ModelRow[]): ReadRows {
  const fallback = needText.safeParse(defaultNeed)
  const rowErrors = new Map<number, RowErrors>()
  const models: [string, number][] = []
  const seen = new Set<string>()
  for (const row of rows) {
    const [name, need] = [nameText.safeParse(row.name), needText.safeParse(row.need)]
    const twice = name.success && seen.has(name.data.toLowerCase())
    const nameError = twice ? 'This model has a row already.' : name.error?.issues[0]?.message
    const needError = need.error?.issues[0]?.message
    if (name.success && need.success && !twice) {
      seen.add(name.data.toLowerCase())
      models.push([name.data, need.data])
    } else {
      rowErrors.set(row.id, {
        ...(nameError ? { name: nameError } : {}),
        ...(needError ? { need: needError } : {}),
      })
    }
  }
  if (fallback.success && rowErrors.size === 0) {
    return { ok: true, table: { default_requirement: fallback.data, models: Object.fromEntries(models) } }
  }
  return { ok: false, defaultError: fallback.error?.issues[0]?.message, rowErrors }
}

type ReadJson = { ok: true; table: ModelTable } | { ok: false; message: string }

/** A table that was pasted as JSON, or what is wrong with it. */
export function readModelJson(text: string): ReadJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, message: 'This is no JSON. Copy the whole file, from its first brace to its last.' }
  }
  const parsed = modelTableSchema.safeParse(value)
  if (parsed.success) return { ok: true, table: parsed.data }
  const [issue] = parsed.error.issues
  const place = issue?.path.join(' → ')
  return { ok: false, message: `${place ? `${place}: ` : ''}${issue?.message ?? 'It has another form.'}` }
}
