'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useMemo, useState } from 'react'
import { type JsonNode, listNodes, openLevels } from './json-nodes'
import { moveInTree } from './move-in-tree'

/** Rows that "Open all" opens at most: more than anyone reads, and quickly listed. */
const openAllRows = 5000
const openAtFirst = 60

/** What is open in a tree, which row is active, and what keys do. */
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
  // A row that is gone, because what held it was closed, leaves the root.
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
