'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { CopyButton } from '@/components/ui/copy-button'
import { NodeText } from './json-node-text'
import { type JsonNode, listNodes, openLevels } from './json-nodes'
import { moveInTree } from './move-in-tree'

/** Rows that "Open all" opens at most: more than anyone reads, and quickly listed. */
const openAllRows = 5000
const openAtFirst = 60

/** Any JSON, opened part by part. */
export function JsonTree({ value }: { value: unknown }) {
  const treeId = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openLevels(value, openAtFirst))
  const [activeId, setActiveId] = useState('0')
  const nodes = useMemo(() => listNodes(value, open), [value, open])
  const virtualizer = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 24,
    getItemKey: (index) => nodes[index]?.id ?? index,
    overscan: 20,
  })
  const activeIndex = Math.max(
    0,
    nodes.findIndex(({ id }) => id === activeId),
  )
  const activate = (index: number) => {
    const node = nodes[index]
    if (!node) return
    setActiveId(node.id)
    virtualizer.scrollToIndex(index, { align: 'auto' })
  }
  const toggle = ({ id, expanded }: JsonNode) => {
    if (expanded !== null) setOpen((before) => changed(before, id, !expanded))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const move =
      event.ctrlKey || event.metaKey || event.altKey ? null : moveInTree(nodes, activeIndex, event.key)
    if (!move) return
    event.preventDefault()
    if (move.toggle) toggle(move.toggle)
    else activate(move.to)
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center justify-end gap-1.5 border-b px-2 py-1.5">
        <Button size="sm" variant="ghost" onClick={() => setOpen(openLevels(value, openAllRows))}>
          Open all
        </Button>
        <Button size="sm" variant="ghost" onClick={() => setOpen(new Set())}>
          Close all
        </Button>
        <CopyButton text={() => JSON.stringify(value, null, 2)} label="Copy as JSON" />
      </div>
      <div
        ref={scroller}
        role="tree"
        aria-label="Results as a tree"
        aria-activedescendant={`${treeId}-${activeIndex}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="group/tree min-h-0 flex-1 overflow-auto font-mono text-xs focus-visible:-outline-offset-2"
      >
        <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const node = nodes[index]
            if (!node) return null
            const position = { transform: `translateY(${start}px)` }
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                role="presentation"
                className="absolute inset-x-0 top-0"
                style={position}
              >
                <TreeRow
                  id={`${treeId}-${index}`}
                  node={node}
                  active={index === activeIndex}
                  onPress={() => {
                    setActiveId(node.id)
                    toggle(node)
                  }}
                />
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface TreeRowProps {
  id: string
  node: JsonNode
  active: boolean
  onPress: () => void
}

/** Keys are the tree's own affair: it keeps the focus and says which row is active. */
function TreeRow({ id, node, active, onPress }: TreeRowProps) {
  const { level, position, siblings, expanded, kind } = node
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={expanded ?? undefined}
      aria-selected={active}
      tabIndex={-1}
      onMouseDown={(event) => {
        // A text that is being selected is not a press, and the focus belongs to the tree.
        if (kind !== 'text' && event.button === 0) onPress()
      }}
      className={cn(
        'flex min-h-6 items-start gap-1 py-0.5 pr-4 leading-5 hover:bg-hover',
        active && 'group-focus-visible/tree:bg-accent-soft',
        expanded !== null && 'cursor-pointer',
      )}
      style={{ paddingLeft: `${Math.min(level, 40) * 16 - 8}px` }}
    >
      <ChevronRight
        aria-hidden
        className={cn(
          'mt-0.5 size-4 shrink-0 text-subtle transition-transform',
          expanded === null && 'invisible',
          expanded && 'rotate-90',
        )}
      />
      <NodeText node={node} />
    </div>
  )
}

function changed(open: ReadonlySet<string>, id: string, add: boolean): ReadonlySet<string> {
  const next = new Set(open)
  if (add) next.add(id)
  else next.delete(id)
  return next
}
