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
  const { options, changeOptions, follow, chosen, search, copy, goToLine, refs, listProps } = useOutputViewer(
    store,
    live,
  )
  const empty = store.count(options.filter) === 0
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
          ranks={store.ranks}
          downloads={downloads}
          hasChosen={chosen.range !== null}
          onCopy={copy}
        />
      </div>
      <div className="relative flex min-h-0 flex-1 flex-col">
        <OutputList {...listProps} />
        {empty ? <Nothing {...props} filtered={store.endLine > store.firstLine} /> : null}
        {follow.following || !follow.moreBelow ? null : (
          <JumpToEnd store={store} live={live} onClick={follow.start} />
        )}
      </div>
      <OutputFooter store={store} live={live} following={follow.following} />
    </div>
  )
}

function Nothing({ live, emptyTitle, emptyText, filtered }: OutputViewerProps & { filtered: boolean }) {
  const title = filtered ? 'Nothing on this stream' : (emptyTitle ?? (live ? 'No output yet' : 'No output'))
  const text = filtered ? 'There are lines on others. Choose All to see them.' : emptyText
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
function JumpToEnd({ store, live, onClick }: { store: OutputStore; live: boolean; onClick: () => void }) {
  const [since] = useState(store.endLine)
  return (
    <Button size="sm" onClick={onClick} className="absolute right-4 bottom-4 z-2 rounded-full shadow-float">
      <ArrowDown aria-hidden />
      {jumpLabel(live, store.endLine - since)}
    </Button>
  )
}
