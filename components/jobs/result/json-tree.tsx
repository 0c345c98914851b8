import { ChevronRight } from 'lucide-react'
import { useId, useRef } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/class-names'
import { CopyButton } from '@/components/ui/copy-button'
import { NodeText } from './json-node-text'
import type { JsonNode } from './json-nodes'
import { useJsonTree } from './use-json-tree'

interface JsonTreeProps {
  value: unknown
  /** For screen readers. */
  label?: string
  /** What the copy button copies: the source text of the value. */
  copied: () => string
}

/** A tree view of any JSON value. */
export function JsonTree({ value, label = 'Results as a tree', copied }: JsonTreeProps) {
  const treeId = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const { nodes, activeIndex, virtualizer, openAll, closeAll, press, onKeyDown } = useJsonTree(
    value,
    scroller,
  )
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center justify-end gap-1.5 border-b px-2 py-1.5">
        <Button size="sm" variant="ghost" onClick={openAll}>
          Open all
        </Button>
        <Button size="sm" variant="ghost" onClick={closeAll}>
          Close all
        </Button>
        <CopyButton text={copied} label="Copy as JSON" />
      </div>
      <div
        ref={scroller}
        role="tree"
        aria-label={label}
        aria-activedescendant={`${treeId}-${activeIndex}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="group/tree min-h-0 flex-1 overflow-auto font-mono text-xs focus-visible:-outline-offset-2"
      >
        <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              role="presentation"
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <TreeRow
                id={`${treeId}-${index}`}
                node={nodes[index]}
                active={index === activeIndex}
                onPress={press}
              />
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

interface TreeRowProps {
  id: string
  /** Undefined for one render after the tree became shorter. */
  node: JsonNode | undefined
  active: boolean
  onPress: (node: JsonNode) => void
}

/** The tree has the focus and handles keys for its rows. */
function TreeRow({ id, node, active, onPress }: TreeRowProps) {
  if (!node) return null
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
        // Users can select the text of a string, and the tree keeps the focus.
        if (kind !== 'text' && event.button === 0) onPress(node)
      }}
      className={cn(
        'flex min-h-6 items-start gap-1 py-0.5 pr-4 leading-5 hover:bg-hover',
        active && 'group-focus-visible/tree:bg-accent-soft',
        expanded !== null && 'cursor-pointer',
      )}
      // A text of 100 levels stays in view, also on a phone.
      style={{ paddingLeft: `min(${level * 16 - 8}px, 50%)` }}
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
