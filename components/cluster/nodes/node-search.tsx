import { ChevronLeft, ChevronRight, ServerOff } from 'lucide-react'
import type { NodesWanted } from '@/lib/contract/cluster/cluster'
import { TextFilter } from '../../shell/text-filter'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import { formatNumber } from '../../ui/format-number'
import { Segmented } from '../../ui/segmented'

const sets = [
  { value: 'all', label: 'All nodes' },
  { value: 'not-ready', label: 'Not ready' },
] as const

interface FilterProps {
  filter: NodesWanted
  onFilter: (filter: NodesWanted) => void
}

/** Finds nodes among hundreds. */
export function NodeSearch({ filter, onFilter }: FilterProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <TextFilter
        label="Find nodes"
        value={filter.name ?? ''}
        accepts={(text) => text.length <= 64}
        onValue={(name) => onFilter({ ...filter, offset: 0, name: name === '' ? undefined : name })}
      />
      <Segmented
        label="Nodes to show"
        value={filter.not_ready ? 'not-ready' : 'all'}
        onValueChange={(set) =>
          onFilter({ ...filter, offset: 0, not_ready: set === 'not-ready' || undefined })
        }
        options={sets}
      />
    </div>
  )
}

interface NodePagerProps extends FilterProps {
  /** Nodes on this page. */
  shown: number
  matching: number
}

/** The pages of the nodes, if there is more than one. */
export function NodePager({ filter, onFilter, shown, matching }: NodePagerProps) {
  const { limit = 1, offset = 0 } = filter
  if (matching === 0) return <EmptyState icon={ServerOff} title="No matching nodes" className="py-8" />
  if (matching <= shown && offset === 0) return null
  const go = (to: number) => onFilter({ ...filter, offset: Math.max(0, to) })
  return (
    <nav aria-label="Nodes: pages" className="flex flex-wrap items-center justify-between gap-3">
      <p className="text-muted text-xs tabular-nums" role="status">
        {shown === 0 ? 'No nodes' : `Nodes ${formatNumber(offset + 1)} to ${formatNumber(offset + shown)}`} of{' '}
        {formatNumber(matching)}
      </p>
      <div className="flex gap-1.5">
        <Button icon={ChevronLeft} size="sm" disabled={offset === 0} onClick={() => go(offset - limit)}>
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
