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
import { cn } from '@/components/ui/class-names'
import { ScrollRegion } from '@/components/ui/scroll-region'
import { useHydrated } from '@/components/ui/use-hydrated'
import { plainText } from './ansi/ansi-parse'
import type { LineRange } from './line-hash'
import { OutputLineRow, shownCharacters } from './output-line'
import type { OutputStore } from './output-store'
import type { OutputOptions } from './output-toolbar'
import type { FoundMatch } from './search/output-search'
import type { Follow } from './use-follow'
import { useLineVirtualizer } from './use-line-virtualizer'

/** The list's methods for the rest of the viewer. */
export interface OutputListHandle {
  firstVisible: () => number
  /** Scrolls to a line, which is then in the middle or at the top. */
  show: (line: number, align?: 'center' | 'start') => void
  /** Scrolls to a match. Expands a long line, because the match may be in its hidden part. */
  showMatch: (match: FoundMatch) => void
}

interface OutputListProps {
  ref: Ref<OutputListHandle>
  scroller: RefObject<HTMLElement | null>
  store: OutputStore
  options: OutputOptions
  follow: Follow
  selected: { range: LineRange | null; select: (line: number, extend: boolean) => void }
  pattern: RegExp | null
  current: FoundMatch | null
  downloadHref: string | null
  onKeyDown: (event: KeyboardEvent) => void
  onCopy: (event: ClipboardEvent) => void
}

/** Lines that a page is sent with. Which of them are visible is known only in the browser. */
const sentLines = 60

/** The visible lines, virtualized. */
export function OutputList(props: OutputListProps) {
  const { ref, scroller, store, options, follow } = props
  const { filter } = options
  const hydrated = useHydrated()
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set())
  const virtualizer = useLineVirtualizer({ scroller, store, options, follow })
  const expand = useCallback((line: number) => setExpanded((before) => new Set(before).add(line)), [])
  const show = (line: number, align: 'center' | 'start' = 'center') => {
    follow.stop()
    virtualizer.scrollToIndex(store.lines.rowOf(filter, line), { align })
  }
  useImperativeHandle(ref, () => ({
    firstVisible: () => store.lines.numberAt(filter, virtualizer.range?.startIndex ?? 0),
    show,
    showMatch: ({ line }) => {
      if (plainText(store.lines.read(line)?.text ?? '').length > shownCharacters) expand(line)
      show(line)
      revealSideways(scroller, 20)
    },
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
      className={cn(
        'relative min-h-0 flex-1 overflow-auto overscroll-contain bg-surface font-mono text-xs leading-5 focus-visible:-outline-offset-2',
        // The browser shows the end of such a column without a script.
        !hydrated && store.isTail && 'flex flex-col-reverse',
      )}
      style={{ '--number-width': numberWidth } as CSSProperties}
    >
      <div ref={virtualizer.containerRef} className="relative mb-auto min-w-full">
        {hydrated
          ? virtualizer.getVirtualItems().map(({ index, key }) => (
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
            ))
          : sentNumbers(store).map((number) => (
              <ListedLine key={number} {...props} number={number} expanded={expanded} onExpand={expand} />
            ))}
      </div>
    </ScrollRegion>
  )
}

function sentNumbers({ lines, isTail }: OutputStore): number[] {
  const count = Math.min(sentLines, lines.end)
  const first = isTail ? lines.end - count : 0
  return Array.from({ length: count }, (_, at) => first + at)
}

/** Scrolls sideways to a match in a long line. Its row is rendered within the next frames. */
function revealSideways(scroller: RefObject<HTMLElement | null>, frames: number): void {
  requestAnimationFrame(() => {
    const match = scroller.current?.querySelector('[data-current-match]')
    if (match) match.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    else if (frames > 0) revealSideways(scroller, frames - 1)
  })
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
  downloadHref,
  expanded,
  onExpand,
}: ListedLineProps) {
  const line = store.lines.read(number)
  if (!line) return null
  const { range } = selected
  return (
    <OutputLineRow
      {...line}
      numbered={!store.isTail}
      wrap={options.wrap}
      times={options.times}
      selected={!store.isTail && range !== null && number >= range.from && number <= range.to}
      expanded={expanded.has(number)}
      pattern={pattern}
      downloadHref={downloadHref}
      currentMatch={current?.line === number ? current.nth : null}
      onSelect={selected.select}
      onExpand={onExpand}
    />
  )
}
