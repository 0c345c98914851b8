import type { JsonNode } from './json-nodes'

type TreeMove = { to: number; toggle?: undefined } | { toggle: JsonNode; to?: undefined }

/** The effect of a key in a tree, as in the ARIA tree pattern; null for other keys. */
export function moveInTree(nodes: readonly JsonNode[], active: number, key: string): TreeMove | null {
  const node = nodes[active]
  if (!node) return null
  const last = nodes.length - 1
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(active + 1, last) }
    case 'ArrowUp':
      return { to: Math.max(active - 1, 0) }
    case 'Home':
      return { to: 0 }
    case 'End':
      return { to: last }
    case 'PageDown':
      return { to: Math.min(active + 10, last) }
    case 'PageUp':
      return { to: Math.max(active - 10, 0) }
    case 'ArrowRight':
      if (node.expanded === false) return { toggle: node }
      return { to: node.expanded ? Math.min(active + 1, last) : active }
    case 'ArrowLeft':
      if (node.expanded) return { toggle: node }
      return {
        to: Math.max(
          0,
          nodes.findLastIndex(({ id }, index) => index < active && id === node.parent),
        ),
      }
    case 'Enter':
    case ' ':
      return node.expanded === null ? { to: active } : { toggle: node }
    default:
      return null
  }
}
