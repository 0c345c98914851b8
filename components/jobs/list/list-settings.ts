import { useSyncExternalStore } from 'react'
import type { ColumnName } from '@/lib/contract/job-columns'
import { formatColumns, readColumns } from './columns'

/** How the lists of jobs look in this browser. */

export const densities = ['comfortable', 'compact'] as const
export type Density = (typeof densities)[number]

const densityKey = 'gpuq.jobs.density'
const columnsKey = (everyone: boolean) => (everyone ? 'gpuq.jobs.all-columns' : 'gpuq.jobs.columns')
const changed = 'gpuq:list-settings'

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function store(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    // The setting lasts only where the browser stores it.
  }
  window.dispatchEvent(new Event(changed))
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('storage', listener)
  window.addEventListener(changed, listener)
  return () => {
    window.removeEventListener('storage', listener)
    window.removeEventListener(changed, listener)
  }
}

export function useDensity(): [Density, (density: Density) => void] {
  const stored = useSyncExternalStore(
    subscribe,
    () => read(densityKey),
    () => null,
  )
  return [stored === 'compact' ? stored : 'comfortable', (density) => store(densityKey, density)]
}

/** The chosen columns; null: none were chosen. */
export function useStoredColumns(
  everyone: boolean,
): [readonly ColumnName[] | null, (columns: readonly ColumnName[] | null) => void] {
  const key = columnsKey(everyone)
  const stored = useSyncExternalStore(
    subscribe,
    () => read(key),
    () => null,
  )
  return [readColumns(stored), (columns) => store(key, columns && formatColumns(columns))]
}
