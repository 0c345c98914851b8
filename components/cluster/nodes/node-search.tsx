'use client'

import { ChevronLeft, ChevronRight, ServerOff } from 'lucide-react'
import type { NodesWanted } from '@/lib/contract/cluster'
import { TextFilter } from '../../shell/text-filter'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { Segmented } from '../../ui/segmented'

const sets = [
  { value: 'all', label: 'All nodes' },
  { value: 'not-ready', label: 'Not ready' },
] as const

interface WantedProps {
  wanted: NodesWanted
  onWanted: (wanted: NodesWanted) => void
}

/** Narrows hundreds of nodes to those that one looks for. */
export function NodeSearch({ wanted, onWanted }: WantedProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <TextFilter
        label="Find a node"
        value={wanted.name ?? ''}
        accepts={(text) => text.length <= 64}
        onValue={(name) => onWanted({ ...wanted, offset: 0, name: name === '' ? undefined : name })}
      />
      <Segmented
        label="Nodes to show"
        value={wanted.not_ready ? 'not-ready' : 'all'}
        onValueChange={(set) =>
          onWanted({ ...wanted, offset: 0, not_ready: set === 'not-ready' || undefined })
        }
        options={sets}
      />
    </div>
  )
}

interface NodePagerProps extends WantedProps {
  /** Nodes on this page. */
  shown: number
  matching: number
}

/** Back and forth through the nodes, where they do not fit on one page. */
export function NodePager({ wanted, onWanted, shown, matching }: NodePagerProps) {
  const { limit = 1, offset = 0 } = wanted
  if (matching === 0) return <EmptyState icon={ServerOff} title="No such node" className="py-8" />
  if (matching <= shown && offset === 0) return null
  const go = (to: number) => onWanted({ ...wanted, offset: Math.max(0, to) })
  return (
    <nav aria-label="Nodes: pages" className="flex flex-wrap items-center justify-between gap-3">
      <p className="text-muted text-xs tabular-nums" role="status">
        {shown === 0
          ? 'No nodes here'
          : `Nodes ${describeCount(offset + 1)} to ${describeCount(offset + shown)}`}{' '}
        of {describeCount(matching)}
      </p>
      <div className="flex gap-1.5">
        <Button size="sm" disabled={offset === 0} onClick={() => go(offset - limit)}>
          <ChevronLeft aria-hidden />
          Previous
        </Button>
        <Button size="sm" disabled={offset + shown >= matching} onClick={() => go(offset + limit)}>
          Next
          <ChevronRight aria-hidden />
        </Button>
      </div>
    </nav>
  )
}

function describeCount(count: number): string {
  return count.toLocaleString('en')
}
