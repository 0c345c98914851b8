'use client'

import { ArrowDown, SquareTerminal } from 'lucide-react'
import { useCallback, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { EmptyState } from '@/components/ui/empty-state'
import { OutputFooter } from './output-footer'
import { OutputList, type OutputListHandle } from './output-list'
import { initialOptions, type OutputOptions } from './output-options'
import { OutputSearchBox } from './output-search-box'
import type { OutputStore } from './output-store'
import { type OutputDownload, OutputToolbar } from './output-toolbar'
import { useChosenLines } from './use-chosen-lines'
import { useCopyLines } from './use-copy-lines'
import { useFollow } from './use-follow'
import { useOutputKeys } from './use-output-keys'
import { useOutputSearch } from './use-output-search'
import { useOutputVersion } from './use-output-version'
import { useShowLine } from './use-show-line'

interface OutputViewerProps {
  store: OutputStore
  /** The job may still print: the end is followed from the start. */
  live: boolean
  downloads?: readonly OutputDownload[]
  /** Shown while there is no line. */
  emptyTitle?: string
  emptyText?: string
  className?: string
}

const noDownloads: readonly OutputDownload[] = []

/** The output of a job, live or complete. */
export function OutputViewer(props: OutputViewerProps) {
  const { store, live, downloads = noDownloads, className } = props
  useOutputVersion(store)
  const [options, setOptions] = useState<OutputOptions>(initialOptions)
  const changeOptions = useCallback(
    (change: Partial<OutputOptions>) => setOptions((before) => ({ ...before, ...change })),
    [],
  )
  const scroller = useRef<HTMLElement>(null)
  const box = useRef<HTMLInputElement>(null)
  const list = useRef<OutputListHandle>(null)
  const follow = useFollow(scroller, live)
  const chosen = useChosenLines()
  const { showLine, showMatch } = useShowLine({ list, scroller, store, address: chosen.address })
  const firstVisible = useCallback(() => list.current?.firstVisible() ?? store.firstLine, [store])
  const search = useOutputSearch({ store, filter: options.filter, firstVisible, show: showMatch })
  const chooseAll = () => chosen.chooseRange({ from: store.firstLine, to: store.endLine - 1 })
  const onKeyDown = useOutputKeys({ box, options, changeOptions, follow, chosen, search, chooseAll })

  const { copy, onCopy } = useCopyLines(store, options.filter, chosen.range)
  const goToLine = (line: number) => {
    chosen.choose(line)
    showLine(line)
    scroller.current?.focus()
  }
  const empty = store.count(options.filter) === 0
  return (
    <div
      className={cn('flex h-[70dvh] min-h-80 flex-col overflow-clip rounded-lg border bg-surface', className)}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5 border-b px-2 py-1.5">
        <OutputSearchBox
          box={box}
          search={search}
          onGoToLine={goToLine}
          onLeave={() => scroller.current?.focus()}
        />
        <OutputToolbar
          options={options}
          onOptions={changeOptions}
          follow={follow}
          downloads={downloads}
          hasChosen={chosen.range !== null}
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
          chosen={chosen}
          pattern={search.pattern}
          current={search.current}
          onKeyDown={onKeyDown}
          onCopy={onCopy}
        />
        {empty ? <Nothing {...props} filtered={store.endLine > store.firstLine} /> : null}
        {follow.following || empty ? null : <JumpToEnd store={store} onClick={follow.start} />}
      </div>
      <OutputFooter store={store} live={live} following={follow.following} />
    </div>
  )
}

function Nothing({ live, emptyTitle, emptyText, filtered }: OutputViewerProps & { filtered: boolean }) {
  const title = filtered ? 'Nothing on this stream' : (emptyTitle ?? (live ? 'No output yet' : 'No output'))
  const text = filtered ? 'The other stream has lines. Choose All to see them.' : emptyText
  return (
    <div className="absolute inset-0 grid place-items-center">
      <EmptyState icon={SquareTerminal} title={title}>
        {text ??
          (live ? 'Lines appear here as the job prints them.' : 'The job ended without printing anything.')}
      </EmptyState>
    </div>
  )
}

/** Says how much came in since one let go of the end. */
function JumpToEnd({ store, onClick }: { store: OutputStore; onClick: () => void }) {
  const [since] = useState(store.endLine)
  const news = store.endLine - since
  return (
    <Button size="sm" onClick={onClick} className="absolute right-4 bottom-4 z-2 rounded-full shadow-float">
      <ArrowDown aria-hidden />
      {news > 0 ? `${news.toLocaleString('en')} new ${news === 1 ? 'line' : 'lines'}` : 'Jump to end'}
    </Button>
  )
}
