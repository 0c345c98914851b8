import * as z from 'zod'
import { type ModelTable, modelTableSchema } from '@/lib/contract/cluster/policy'
import { isThousandths } from '@/lib/contract/config/values'
import { parseJson } from '@/lib/contract/parse-json'
import { numberText } from '../../shell/form-values'
import type { ModelRow, RowErrors } from './model-rows'

type ReadRows =
  | { ok: true; table: ModelTable }
  | { ok: false; defaultError: string | undefined; rowErrors: ReadonlyMap<number, RowErrors> }

const needText = numberText({ min: 0.001, max: 8 }).refine(isThousandths, 'Use at most three decimals.')
const nameText = z.string().trim().min(1, 'Enter a model name.').max(200, 'Use at most 200 characters.')

/** The table in the form, or an error for each invalid field. */
export function readModelRows(defaultNeed: string, rows: readonly ModelRow[]): ReadRows {
  const fallback = needText.safeParse(defaultNeed)
  const rowErrors = new Map<number, RowErrors>()
  const models: [string, number][] = []
  const seen = new Set<string>()
  for (const row of rows) {
    const [name, need] = [nameText.safeParse(row.name), needText.safeParse(row.need)]
    const duplicate = name.success && seen.has(name.data.toLowerCase())
    const nameError = duplicate ? 'This model already has a row.' : name.error?.issues[0]?.message
    const needError = need.error?.issues[0]?.message
    if (name.success && need.success && !duplicate) {
      seen.add(name.data.toLowerCase())
      models.push([name.data, need.data])
    } else {
      rowErrors.set(row.id, { name: nameError, need: needError })
    }
  }
  if (fallback.success && rowErrors.size === 0) {
    return { ok: true, table: { default_requirement: fallback.data, models: Object.fromEntries(models) } }
  }
  return { ok: false, defaultError: fallback.error?.issues[0]?.message, rowErrors }
}

type ReadJson = { ok: true; table: ModelTable } | { ok: false; message: string }

/** A table from pasted JSON, or an error. */
export function readModelJson(text: string): ReadJson {
  const value = parseJson(text)
  if (value === undefined) {
    const message = 'This is not valid JSON. Copy the whole file, from the first brace to the last.'
    return { ok: false, message }
  }
  const parsed = modelTableSchema.safeParse(value)
  if (parsed.success) return { ok: true, table: parsed.data }
  const [issue] = parsed.error.issues
  const path = issue?.path.join(' → ')
  const message = issue?.message ?? 'The JSON has the wrong structure.'
  return { ok: false, message: path ? `Change ${path}: ${message}` : message }
}
