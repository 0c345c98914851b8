import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DocumentEntry, documentEntries } from './catalog'
import { type Section, splitDocument } from './split-document'

/** A part of a document that has a page. */
export interface DocumentPage {
  /** The address: `/docs/user-guide/submit-a-job`. */
  href: string
  title: string
  sections: readonly Section[]
}

export interface Document {
  entry: DocumentEntry
  title: string
  href: string
  /** In the order of reading, first the one at `href`. A short document has one page. */
  pages: readonly [DocumentPage, ...DocumentPage[]]
}

let loaded: Promise<readonly Document[]> | undefined

/**
 * The documents as this version of gpuq contains them.
 * @param root where the server was built
 */
export function readDocuments(root = process.cwd()): Promise<readonly Document[]> {
  // A changed file is visible at once during development.
  if (process.env.NODE_ENV === 'development') return loadDocuments(root)
  loaded ??= loadDocuments(root).catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

/** Reads all documents of the catalog. */
export function loadDocuments(root: string): Promise<readonly Document[]> {
  return Promise.all(
    documentEntries.map(async (entry) =>
      toDocument(entry, await readFile(join(root, 'docs', entry.file), 'utf8')),
    ),
  )
}

/** Divides the text of a document into its pages. */
export function toDocument(entry: DocumentEntry, text: string): Document {
  const { title, sections } = splitDocument(text)
  const href = `/docs/${entry.slug}`
  if (!entry.pages) return { entry, title, href, pages: [{ href, title, sections }] }
  const parts = sections.flatMap((section) =>
    section.heading
      ? [{ href: `${href}/${section.heading.id}`, title: section.heading.text, sections: [section] }]
      : [],
  )
  const first = { href, title, sections: sections.filter(({ heading }) => heading === null) }
  return { entry, title, href, pages: [first, ...parts] }
}

/** A page with its document and its neighbours. */
export interface FoundPage {
  document: Document
  page: DocumentPage
  previous: DocumentPage | undefined
  next: DocumentPage | undefined
}

/** Finds the page of an address such as `/docs/user-guide`; undefined: there is none. */
export function findPage(documents: readonly Document[], href: string): FoundPage | undefined {
  for (const document of documents) {
    const place = document.pages.findIndex((page) => page.href === href)
    const page = document.pages[place]
    if (page) return { document, page, previous: document.pages[place - 1], next: document.pages[place + 1] }
  }
  return undefined
}
