import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useMemo, useState } from 'react'
import { type JsonNode, listNodes, openLevels } from './json-nodes'
import { moveInTree } from './move-in-tree'

/** The maximum number of rows that "Open all" opens. */
const openAllRows = 5000
const openAtFirst = 60

/** The open nodes, the active row and the keyboard of a tree. */
export function useJsonTree(value: unknown, scroller: RefObject<HTMLElement | null>) {
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openLevels(value, openAtFirst))
  const [activeId, setActiveId] = useState('0')
  const nodes = useMemo(() => listNodes(value, open), [value, open])
  const virtualizer = useVirtualizer<HTMLElement, HTMLDivElement>({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 24,
    getItemKey: (index) => nodes[index]?.id ?? index,
    overscan: 20,
  })
  const found = nodes.findIndex(({ id }) => id === activeId)
  // If the active row was closed, the root is active.
  const activeIndex = Math.max(0, found)

  const activate = (index: number) => {
    setActiveId(nodes[index]?.id ?? '0')
    virtualizer.scrollToIndex(index, { align: 'auto' })
  }
  const toggle = ({ id, expanded }: JsonNode) => {
    if (expanded !== null) setOpen((before) => changed(before, id, !expanded))
  }
  const press = (node: JsonNode) => {
    setActiveId(node.id)
    toggle(node)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const move = moveInTree(nodes, activeIndex, event.key)
    if (!move) return
    event.preventDefault()
    if (move.toggle) toggle(move.toggle)
    else activate(move.to)
  }
  const openAll = () => setOpen(openLevels(value, openAllRows))
  const closeAll = () => setOpen(new Set())
  return { nodes, activeIndex, virtualizer, openAll, closeAll, press, onKeyDown }
}

function changed(open: ReadonlySet<string>, id: string, add: boolean): ReadonlySet<string> {
  const next = new Set(open)
  if (add) next.add(id)
  else next.delete(id)
  return next
}
