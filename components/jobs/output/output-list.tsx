'use client'

import {
  type ClipboardEvent,
  type CSSProperties,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useCallback,
  useImperativeHandle,
  useState,
} from 'react'
import { ScrollRegion } from '@/components/ui/scroll-region'
import { OutputLineRow } from './output-line'
import type { OutputOptions } from './output-options'
import type { OutputStore } from './output-store'
import type { FoundMatch } from './search/output-search'
import type { Follow } from './use-follow'
import { useLineVirtualizer } from './use-line-virtualizer'
import type { SelectedLines } from './use-selected-lines'

/** The list's methods for the rest of the viewer. */
export interface OutputListHandle {
  firstVisible: () => number
  show: (line: number) => void
  /** Shows the whole line. */
  expand: (line: number) => void
}

interface OutputListProps {
  ref: Ref<OutputListHandle>
  scroller: RefObject<HTMLElement | null>
  store: OutputStore
  options: OutputOptions
  follow: Follow
  selected: SelectedLines
  pattern: RegExp | null
  current: FoundMatch | null
  onKeyDown: (event: KeyboardEvent) => void
  onCopy: (event: ClipboardEvent) => void
}

/** The visible lines, virtualized. */
export function OutputList(props: OutputListProps) {
  const { ref, scroller, store, options, follow } = props
  const { filter } = options
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set())
  const virtualizer = useLineVirtualizer({ scroller, store, options, follow })
  const expand = useCallback((line: number) => setExpanded((before) => new Set(before).add(line)), [])
  useImperativeHandle(ref, () => ({
    firstVisible: () => store.lines.numberAt(filter, virtualizer.range?.startIndex ?? 0),
    show: (line) => {
      follow.stop()
      virtualizer.scrollToIndex(store.lines.rowOf(filter, line), { align: 'center' })
    },
    expand,
  }))

  const numberWidth = `${Math.max(3, String(store.lines.end).length)}ch`
  return (
    <ScrollRegion
      ref={scroller}
      role="log"
      aria-live="off"
      aria-label="Output of the job"
      onScroll={follow.onScroll}
      onKeyDown={props.onKeyDown}
      onCopy={props.onCopy}
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain bg-surface font-mono text-xs leading-5 focus-visible:-outline-offset-2"
      style={{ '--number-width': numberWidth } as CSSProperties}
    >
      <div ref={virtualizer.containerRef} className="relative min-w-full">
        {virtualizer.getVirtualItems().map(({ index, key }) => (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className="absolute left-0 min-w-full"
          >
            <ListedLine
              {...props}
              number={store.lines.numberAt(filter, index)}
              expanded={expanded}
              onExpand={expand}
            />
          </div>
        ))}
      </div>
    </ScrollRegion>
  )
}

interface ListedLineProps extends OutputListProps {
  number: number
  expanded: ReadonlySet<number>
  onExpand: (line: number) => void
}

function ListedLine({
  number,
  store,
  options,
  selected,
  pattern,
  current,
  expanded,
  onExpand,
}: ListedLineProps) {
  const line = store.lines.read(number)
  if (!line) return null
  const { range } = selected
  return (
    <OutputLineRow
      {...line}
      wrap={options.wrap}
      times={options.times}
      selected={range !== null && number >= range.from && number <= range.to}
      expanded={expanded.has(number)}
      pattern={pattern}
      currentMatch={current?.line === number ? current.nth : null}
      onSelect={selected.select}
      onExpand={onExpand}
    />
  )
}
