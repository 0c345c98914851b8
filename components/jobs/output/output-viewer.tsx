import { ArrowDown, SquareTerminal } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { outputShortcuts } from '@/components/shell/shortcuts/shortcut-table'
import { useShortcuts } from '@/components/shell/shortcuts/use-shortcuts'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { EmptyState } from '@/components/ui/empty-state'
import { formatCount } from '@/components/ui/format-number'
import { Skeleton } from '@/components/ui/skeleton'
import { makeCopyHandlers } from './copy-lines'
import { parseLineHash } from './line-hash'
import { OutputFooter } from './output-footer'
import { makeKeyHandler } from './output-keys'
import { OutputList, type OutputListHandle } from './output-list'
import type { OutputStore } from './output-store'
import { type OutputDownload, type OutputOptions, OutputToolbar } from './output-toolbar'
import { OutputSearchBox } from './search/output-search-box'
import { useOutputSearch } from './search/use-output-search'
import { useFollow } from './use-follow'
import { useOutputVersion } from './use-output-version'
import { useSelectedLines } from './use-selected-lines'

interface OutputViewerProps {
  store: OutputStore
  /** The job may print more lines: the viewer follows the output. */
  live: boolean
  /** The page has only a part of the output so far. */
  loading?: boolean
  /** The line at which the output opens, once it is known; left out: none. */
  openAt?: number | null
  /** The output in several formats, plain text last. */
  downloads: readonly OutputDownload[]
  /** Shown if there are no lines. */
  emptyTitle?: string
  emptyText?: string
}

/** The output of a job, live or complete. */
export function OutputViewer(props: OutputViewerProps) {
  const { store, live, loading = false, openAt = null, downloads } = props
  useOutputVersion(store)
  const [options, setOptions] = useState<OutputOptions>({ filter: 'all', wrap: false, times: false })
  const changeOptions = (change: Partial<OutputOptions>) => setOptions((before) => ({ ...before, ...change }))
  const scroller = useRef<HTMLElement>(null)
  const searchBox = useRef<HTMLInputElement>(null)
  const list = useRef<OutputListHandle>(null)
  const follow = useFollow(scroller, live || store.isTail)
  const selected = useSelectedLines(store, list)
  const search = useOutputSearch(store, options.filter, list)
  const { copy, onCopy } = makeCopyHandlers(store, options.filter, selected.range)
  const onKeyDown = makeKeyHandler({ scroller, searchBox, options, changeOptions, follow, selected, search })
  useShortcuts(pageShortcuts, () => searchBox.current?.focus())
  useOpenAt(openAt, scroller, follow.following, list)
  const goToLine = (line: number) => {
    if (store.isTail) return
    selected.select(line)
    list.current?.show(line)
    scroller.current?.focus()
  }
  return (
    // As high as what the page leaves of the window, so that the newest lines are visible without scrolling the page.
    <div className="flex min-h-64 grow basis-0 flex-col overflow-clip rounded-lg border bg-surface">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5 border-b px-2 py-1.5">
        <OutputSearchBox
          box={searchBox}
          search={search}
          onGoToLine={goToLine}
          onLeave={() => scroller.current?.focus()}
        />
        <OutputToolbar
          options={options}
          onOptions={changeOptions}
          follow={follow}
          ranks={store.lines.ranks}
          downloads={downloads}
          hasSelection={selected.range !== null}
          onCopy={copy}
        />
      </div>
      <div className="relative flex min-h-0 flex-1 flex-col">
        <OutputList
          ref={list}
          scroller={scroller}
          store={store}
          options={options}
          follow={follow}
          selected={selected}
          pattern={search.pattern}
          current={search.current}
          downloadHref={downloads.at(-1)?.href ?? null}
          onKeyDown={onKeyDown}
          onCopy={onCopy}
        />
        {store.lines.count(options.filter) === 0 ? (
          <NoOutput {...props} onShowAll={() => changeOptions({ filter: 'all' })} />
        ) : null}
        {follow.following || !follow.moreBelow ? null : (
          <JumpToEnd store={store} live={live} onClick={follow.start} />
        )}
      </div>
      <OutputFooter store={store} live={live} loading={loading} following={follow.following} />
    </div>
  )
}

/** Works wherever the focus is. */
const pageShortcuts = [outputShortcuts.search]

/** Scrolls once to the line at which the output opens, unless the reader or the address has chosen another place. */
function useOpenAt(
  line: number | null,
  scroller: RefObject<HTMLElement | null>,
  following: boolean,
  list: RefObject<OutputListHandle | null>,
): void {
  const open = useEffectEvent((at: number) => {
    const isMoved = !following && (scroller.current?.scrollTop ?? 0) > 0
    if (!isMoved && parseLineHash(window.location.hash) === null) list.current?.show(at, 'start')
  })
  useEffect(() => {
    if (line !== null) open(line)
  }, [line])
}

const placeholderWidths = ['w-2/5', 'w-3/5', 'w-1/2', 'w-1/3', 'w-3/4']

function NoOutput(props: OutputViewerProps & { onShowAll: () => void }) {
  const { store, live, loading = false, emptyTitle, emptyText, onShowAll } = props
  const filtered = store.lines.count('all') > 0
  if (loading && !filtered) {
    return (
      <div role="status" className="absolute inset-0 flex flex-col gap-2.5 p-4">
        <span className="sr-only">Loading the output</span>
        {placeholderWidths.map((width) => (
          <Skeleton key={width} className={cn('h-3', width)} />
        ))}
      </div>
    )
  }
  return (
    <div className="absolute inset-0 grid place-items-center">
      {filtered ? (
        <EmptyState
          icon={SquareTerminal}
          title="No output with this filter"
          action={<Button onClick={onShowAll}>Show all lines</Button>}
        >
          The job has other output.
        </EmptyState>
      ) : (
        <EmptyState icon={SquareTerminal} title={emptyTitle ?? (live ? 'No output yet' : 'No output')}>
          {emptyText ?? (live ? 'Output appears here when the job prints it.' : 'The job printed nothing.')}
        </EmptyState>
      )}
    </div>
  )
}

function JumpToEnd({ store, live, onClick }: { store: OutputStore; live: boolean; onClick: () => void }) {
  const [since] = useState(store.lines.end)
  return (
    <Button
      icon={ArrowDown}
      size="sm"
      onClick={onClick}
      className="absolute right-4 bottom-4 z-2 rounded-full shadow-float"
    >
      {jumpLabel(live, store.lines.end - since)}
    </Button>
  )
}

/**
 * For a live job, the label counts the lines since the reader scrolled away. A job that has ended has no new lines, even
 * if the page still loads them.
 */
export function jumpLabel(live: boolean, newLines: number): string {
  return live && newLines > 0 ? formatCount(newLines, 'new line') : 'Jump to end'
}
