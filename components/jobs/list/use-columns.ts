import { useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import type { ColumnName } from '@/lib/contract/job-columns'
import { updateSearchParams } from '../../shell/update-search-params'
import { defaultColumns, formatColumns, readColumns } from './columns'
import { useStoredColumns } from './list-settings'

/** The columns of the list: those of the address of a saved view, or those that this browser keeps. */
export function useColumns(everyone: boolean): {
  columns: readonly ColumnName[]
  setColumns: (columns: readonly ColumnName[] | null) => void
} {
  const params = useSearchParams()
  const [stored, setStored] = useStoredColumns(everyone)
  const given = params.get('columns')
  const chosen = readColumns(given) ?? stored ?? defaultColumns(everyone)
  const text = formatColumns(chosen)
  // The same array while the columns are the same, so that only changed rows render again.
  const columns = useMemo(() => readColumns(text) ?? [], [text])
  const setColumns = (next: readonly ColumnName[] | null) => {
    if (given === null) return setStored(next)
    const changed = new URLSearchParams(params)
    if (next === null) changed.delete('columns')
    else changed.set('columns', formatColumns(next))
    updateSearchParams(changed, 'replace')
  }
  return { columns, setColumns }
}
