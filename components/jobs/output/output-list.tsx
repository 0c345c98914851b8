'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type ClipboardEvent,
  type CSSProperties,
  type KeyboardEvent,
  type Ref,
  type RefObject,
  useCallback,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { ScrollRegion } from '@/components/ui/scroll-region'
import { OutputLineRow } from './output-line'
import type { OutputOptions } from './output-options'
import type { FoundMatch } from './output-search'
import type { OutputStore } from './output-store'
import type { ChosenLines } from './use-chosen-lines'
import type { Follow } from './use-follow'

/** A line's height before it is measured: `leading-5`. */
const lineHeight = 20

/** What the rest of the viewer may ask of the list. */
export interface OutputListHandle {
  firstVisible: () => number
  show: (line: number) => void
  /** All of a line, however long. */
  expand: (line: number) => void
}

interface OutputListProps {
  ref: Ref<OutputListHandle>
  scroller: RefObject<HTMLElement | null>
  store: OutputStore
  options: OutputOptions
  follow: Follow
  chosen: ChosenLines
  pattern: RegExp | null
  current: FoundMatch | null
  onKeyDown: (event: KeyboardEvent) => void
  onCopy: (event: ClipboardEvent) => void
}

/** The lines in view, out of however many there are. */
export function OutputList(props: OutputListProps) {
  const { ref, scroller, store, options, follow } = props
  const { filter, wrap } = options
  const { firstLine, generation } = store
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set())
  const count = store.count(filter)

  // Lines are known by their numbers: their heights stay right when older ones are dropped or filtered out.
  const getItemKey = useCallback(
    (row: number) => (filter === 'all' ? firstLine + row : store.lineAt(filter, row)),
    [store, filter, firstLine],
  )
  const { pin } = follow
  const virtualizer = useVirtualizer<HTMLElement, HTMLDivElement>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    getItemKey,
    overscan: 20,
    directDomUpdates: true,
    directDomUpdatesMode: 'position',
    onChange: pin,
  })
  useLayoutEffect(pin)
  useForgetHeights(virtualizer.measure, `${wrap} ${generation}`)
  useKeepPlace(scroller, firstLine, follow.following)

  const expand = useCallback((line: number) => setExpanded((before) => new Set(before).add(line)), [])
  useImperativeHandle(ref, () => ({
    firstVisible: () => store.lineAt(filter, virtualizer.range?.startIndex ?? 0),
    show: (line) => {
      follow.stop()
      virtualizer.scrollToIndex(store.rowOf(filter, line), { align: 'center' })
    },
    expand,
  }))

  const numberWidth = `${Math.max(3, String(store.endLine).length)}ch`
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
              number={store.lineAt(filter, index)}
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
  chosen,
  pattern,
  current,
  expanded,
  onExpand,
}: ListedLineProps) {
  const line = store.line(number)
  if (!line) return null
  const { range } = chosen
  return (
    <OutputLineRow
      {...line}
      wrap={options.wrap}
      times={options.times}
      chosen={range !== null && number >= range.from && number <= range.to}
      expanded={expanded.has(number)}
      pattern={pattern}
      currentMatch={current?.line === number ? current.nth : null}
      onChoose={chosen.choose}
      onExpand={onExpand}
    />
  )
}

/** Heights measured under other circumstances are of no use any more. */
function useForgetHeights(forget: () => void, circumstances: string): void {
  const before = useRef(circumstances)
  useLayoutEffect(() => {
    if (before.current === circumstances) return
    before.current = circumstances
    forget()
  }, [forget, circumstances])
}

/** When the oldest lines are dropped, what one is reading stays where it is. */
function useKeepPlace(scroller: RefObject<HTMLElement | null>, firstLine: number, following: boolean): void {
  const before = useRef(firstLine)
  useLayoutEffect(() => {
    const dropped = firstLine - before.current
    before.current = firstLine
    if (scroller.current && !following && dropped > 0) scroller.current.scrollTop -= dropped * lineHeight
  }, [scroller, firstLine, following])
}
