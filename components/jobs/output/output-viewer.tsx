'use client'

import { ArrowDown, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { EmptyState } from '@/components/ui/empty-state'
import { jumpLabel } from './jump-label'
import { OutputFooter } from './output-footer'
import { OutputList } from './output-list'
import type { OutputStore } from './output-store'
import { type OutputDownload, OutputToolbar } from './output-toolbar'
import { OutputSearchBox } from './search/output-search-box'
import { useOutputViewer } from './use-output-viewer'

interface OutputViewerProps {
  store: OutputStore
  /** The job may print more lines: the viewer follows the output. */
  live: boolean
  downloads?: readonly OutputDownload[]
  /** Shown if there are no lines. */
  emptyTitle?: string
  emptyText?: string
  className?: string
}

const noDownloads: readonly OutputDownload[] = []

/** The output of a job, live or complete. */
export function OutputViewer(props: OutputViewerProps) {
  const { store, live, downloads = noDownloads, className } = props
  const { options, changeOptions, follow, selected, search, copy, goToLine, refs, listProps } =
    useOutputViewer(store, live)
  const empty = store.lines.count(options.filter) === 0
  return (
    <div
      className={cn('flex h-[70dvh] min-h-80 flex-col overflow-clip rounded-lg border bg-surface', className)}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5 border-b px-2 py-1.5">
        <OutputSearchBox
          box={refs.box}
          search={search}
          onGoToLine={goToLine}
          onLeave={() => refs.scroller.current?.focus()}
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
        <OutputList {...listProps} />
        {empty ? <NoOutput {...props} filtered={store.lines.end > store.lines.first} /> : null}
        {follow.following || !follow.moreBelow ? null : (
          <JumpToEnd store={store} live={live} onClick={follow.start} />
        )}
      </div>
      <OutputFooter store={store} live={live} following={follow.following} />
    </div>
  )
}

function NoOutput({ live, emptyTitle, emptyText, filtered }: OutputViewerProps & { filtered: boolean }) {
  const title = filtered ? 'No output on this stream' : (emptyTitle ?? (live ? 'No output yet' : 'No output'))
  const text = filtered ? 'Other streams have output. Select All to see it.' : emptyText
  return (
    <div className="absolute inset-0 grid place-items-center">
      <EmptyState icon={SquareTerminal} title={title}>
        {text ?? (live ? 'Output appears here when the job prints it.' : 'The job printed nothing.')}
      </EmptyState>
    </div>
  )
}

/** Jumps to the end and counts the new lines. */
function JumpToEnd({ store, live, onClick }: { store: OutputStore; live: boolean; onClick: () => void }) {
  const [since] = useState(store.lines.end)
  return (
    <Button size="sm" onClick={onClick} className="absolute right-4 bottom-4 z-2 rounded-full shadow-float">
      <ArrowDown aria-hidden />
      {jumpLabel(live, store.lines.end - since)}
    </Button>
  )
}
