import { useEffect, useState } from 'react'
import type { CellBlock, Span } from './engine/table-messages'
import type { TableClient } from './table-client'

/** Rows that are requested together, so that slow scrolling needs few requests. */
const step = 64

interface LoadedCells {
  version: unknown
  block: CellBlock
}

/** The texts of the cells in view. Undefined: not loaded yet. */
export function useGridCells(
  client: TableClient,
  rows: Span,
  columns: Span,
  count: number,
  version: unknown,
) {
  const [loaded, setLoaded] = useState<LoadedCells | null>(null)
  const from = Math.floor(rows[0] / step) * step
  const to = Math.min(count, Math.ceil(rows[1] / step) * step)
  const [firstColumn, lastColumn] = columns
  useEffect(() => {
    let current = true
    void client.cells([from, to], [firstColumn, lastColumn]).then((block) => {
      if (current) setLoaded({ version, block })
    })
    return () => {
      current = false
    }
  }, [client, from, to, firstColumn, lastColumn, version])
  return (row: number, column: number): string | undefined => {
    if (!loaded || loaded.version !== version) return undefined
    const { rows: own, columns: ownColumns, texts } = loaded.block
    return texts[row - own[0]]?.[column - ownColumns[0]]
  }
}
