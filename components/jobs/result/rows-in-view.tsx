import { useVirtualizer } from '@tanstack/react-virtual'
import type { ReactNode } from 'react'

interface RowsInViewProps {
  /** The element that scrolls. A state instead of a ref: the rows must render again when it exists. */
  scroller: HTMLElement | null
  count: number
  /** In CSS pixels, the same for all. */
  rowHeight: number
  /** A row with its key. */
  children: (index: number) => ReactNode
}

/** The body of a long table: only the rows in view, and the space of the others. */
export function RowsInView({ scroller, count, rowHeight, children }: RowsInViewProps) {
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const shown = virtualizer.getVirtualItems()
  const above = shown[0]?.start ?? 0
  const below = virtualizer.getTotalSize() - (shown.at(-1)?.end ?? 0)
  return (
    <tbody>
      {above > 0 ? <Spacer height={above} /> : null}
      {shown.map(({ index }) => children(index))}
      {below > 0 ? <Spacer height={below} /> : null}
    </tbody>
  )
}

/** The space of the rows outside the view. */
function Spacer({ height }: { height: number }) {
  return (
    <tr aria-hidden>
      <td style={{ height }} />
    </tr>
  )
}
