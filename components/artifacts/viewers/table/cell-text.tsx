import { useEffect, useState } from 'react'
import { CopyButton } from '@/components/ui/copy-button'
import { formatNumber } from '@/components/ui/format-number'
import { ScrollRegion } from '@/components/ui/scroll-region'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { showText } from '../../../jobs/result/json-text'
import type { TableColumn } from './engine/table-messages'
import type { GridCell } from './grid-layout'
import type { TableClient } from './table-client'

/** Browsers need seconds to lay out a text of a million characters. The copy has all of it. */
const shownCharacters = 5000

interface CellTextProps {
  client: TableClient
  columns: readonly TableColumn[]
  active: GridCell
  /** The rows that match. */
  count: number
  version: unknown
}

/** The whole text of the active cell: the grid shows its beginning. */
export function CellText({ client, columns, active, count, version }: CellTextProps) {
  const [text, setText] = useState('')
  const { row, column } = active
  useEffect(() => {
    // A dependency: other rows may be at the same place after a search.
    if (row < 0 || row >= count || version === undefined) return
    let current = true
    void client.cell(row, column).then((found) => {
      if (current) setText(found)
    })
    return () => {
      current = false
    }
  }, [client, row, column, count, version])
  if (row < 0 || row >= count) return null
  const more = text.length - shownCharacters
  return (
    <div className="flex items-start gap-2 rounded-md border bg-sunken py-1 pr-1 pl-3 text-xs">
      <p className="shrink-0 py-1 text-muted">
        Row {formatNumber(row + 1)}, {visibleText(columns[column]?.name ?? '', 40)}
      </p>
      <ScrollRegion aria-label="Text of the cell" className="max-h-24 min-w-0 flex-1 overflow-auto">
        <p className="wrap-anywhere whitespace-pre-wrap py-1 font-mono text-ink">
          {text === '' ? <span className="text-muted">empty</span> : showText(text.slice(0, shownCharacters))}
          {more > 0 ? (
            <span className="text-muted"> … {formatNumber(more)} more characters in the copy</span>
          ) : null}
        </p>
      </ScrollRegion>
      <CopyButton text={text} label="Copy cell" />
    </div>
  )
}
