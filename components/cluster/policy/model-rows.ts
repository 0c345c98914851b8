import type { ModelTable } from '@/lib/contract/cluster/policy'

/** One row of the model table as text. */
export interface ModelRow {
  /** Stays the same while the name changes. */
  id: number
  name: string
  need: string
}

export interface RowErrors {
  name: string | undefined
  need: string | undefined
}

/** The rows of a table, sorted by name. */
export function toModelRows({ models }: ModelTable): ModelRow[] {
  return Object.entries(models)
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([name, need], id) => ({ id, name, need: String(need) }))
}
