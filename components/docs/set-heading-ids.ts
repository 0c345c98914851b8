import type { Root } from 'hast'

/**
 * A rehype plugin that gives the headings of a text their ids, in their order. The ids are unique in the whole document,
 * of which the text is a part.
 */
export function setHeadingIds(ids: readonly string[]) {
  return (tree: Root) => {
    const headings = tree.children.flatMap((child) =>
      child.type === 'element' && /^h[2-4]$/.test(child.tagName) ? [child] : [],
    )
    for (const [place, heading] of headings.entries())
      heading.properties = { ...heading.properties, id: ids[place] }
  }
}
