import { posix } from 'node:path'
import type { Document } from './documents'

/** Where a link of a document leads: to an address, or to a file of the source code that the server does not show. */
export type ResolvedLink = { href: string } | { file: string }

/** Resolves a link as it is written in a Markdown file of `docs/`. @param file the file with the link, in `docs/`. */
export function resolveLink(documents: readonly Document[], file: string, link: string): ResolvedLink {
  if (/^[a-z][a-z+.-]*:/i.test(link) || link.startsWith('/')) return { href: link }
  const [path = '', anchor] = link.split('#', 2)
  const target = path === '' ? file : posix.normalize(path)
  const document = documents.find(({ entry }) => entry.file === target)
  if (!document) return { file: posix.normalize(`docs/${target}`) }
  if (anchor === undefined) return { href: document.href }
  const page = document.pages.find(({ sections }) =>
    sections.some(({ headings }) => headings.some(({ id }) => id === anchor)),
  )
  if (!page) return { href: document.href }
  // The page of a section starts with its heading.
  const opens = page.href.endsWith(`/${anchor}`)
  return { href: opens ? page.href : `${page.href}#${anchor}` }
}
