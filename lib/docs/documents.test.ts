import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentEntries } from './catalog'
import { findPage, loadDocuments, toDocument } from './documents'
import { readPictures } from './pictures'
import { resolveLink } from './resolve-link'
import { indexDocuments, searchPassages } from './search'

const root = process.cwd()
const documents = await loadDocuments(root)

/** Every link of the shown documents, with the file that has it. */
const links = documents.flatMap(({ entry, pages }) =>
  pages.flatMap(({ sections }) =>
    sections.flatMap(({ markdown }) =>
      Array.from(markdown.matchAll(/(!?)\[[^\]]*\]\(([^)\s]+)\)/g), ([, picture, link = '']) => ({
        file: entry.file,
        link,
        picture: picture === '!',
      })),
    ),
  ),
)

describe('the documents', () => {
  it('each have a title, a text and an address of their own', () => {
    for (const { title, pages } of documents) {
      expect(title).not.toBe('')
      for (const { sections } of pages) expect(sections.length).toBeGreaterThan(0)
    }
    const addresses = documents.flatMap(({ pages }) => pages.map(({ href }) => href))
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  it('contain only links that lead somewhere, here and on a Git host', () => {
    const broken = links.filter(({ file, link, picture }) => {
      if (picture || /^https:/.test(link)) return false
      const resolved = resolveLink(documents, file, link)
      if ('file' in resolved) return !existsSync(join(root, resolved.file))
      const [path = '', anchor] = resolved.href.split('#', 2)
      const page = findPage(documents, path)?.page
      if (!page) return true
      // Without its anchor, the heading is not in the document.
      const wanted = link.split('#', 2)[1]
      const found = anchor ?? (page.href.endsWith(`/${wanted}`) ? wanted : undefined)
      return (
        wanted !== found ||
        (wanted !== undefined &&
          !page.sections.some(({ headings }) => headings.some(({ id }) => id === wanted)))
      )
    })
    expect(broken).toEqual([])
    expect(links.length).toBeGreaterThan(50)
  })

  it('show only pictures that exist, with their sizes', async () => {
    const pictures = await readPictures(root)
    const shown = links.filter(({ picture }) => picture).map(({ link }) => link.replace('images/', ''))
    expect(shown.filter((name) => !pictures.has(name))).toEqual([])
    expect(pictures.get('job-light.png')).toMatchObject({ type: 'image/png', width: 1280, height: 800 })
    expect(pictures.get('scheduling-policies.svg')).toMatchObject({ width: 640, height: 328 })
  })
})

describe('a link', () => {
  it('a link to a section of a divided document leads to its page', () => {
    expect(resolveLink(documents, 'first-job.md', 'user-guide.md#submit-a-job')).toEqual({
      href: '/docs/user-guide/submit-a-job',
    })
    expect(resolveLink(documents, 'user-guide.md', '#submit-several-files')).toEqual({
      href: '/docs/user-guide/submit-a-job#submit-several-files',
    })
    expect(resolveLink(documents, 'user-guide.md', 'scale.md')).toEqual({ href: '/docs/scale' })
  })

  it('a link to a file that the server does not show names the file', () => {
    expect(resolveLink(documents, 'scheduling.md', '../lib/scheduling/README.md#x')).toEqual({
      file: 'lib/scheduling/README.md',
    })
  })
})

describe('the search', () => {
  const passages = indexDocuments(documents)
  const find = (query: string) => searchPassages(passages, query)

  it('has each heading, at an address that exists', () => {
    const broken = passages.filter(({ href }) => !findPage(documents, href.split('#', 1)[0] ?? ''))
    expect(broken).toEqual([])
    expect(new Set(passages.map(({ href }) => href)).size).toBe(passages.length)
  })

  it('finds a heading by the beginnings of its words', () => {
    expect(find('Mount snap')[0]).toMatchObject({
      href: '/docs/user-guide/use-the-command-line#mount-snapshots',
      path: ['User guide', 'Use the command line', 'Mount snapshots'],
    })
    expect(find('put a TLS proxy')[0]?.href).toBe('/docs/admin-guide/install#put-a-tls-proxy-in-front')
  })

  it('finds the name of a variable and of a reason, and shows the text around it', () => {
    const [hit] = find('GPUQ_WRITES_PER_MINUTE')
    expect(hit?.excerpt).toContain('GPUQ_WRITES_PER_MINUTE')
    expect(find('out_of_memory').map(({ href }) => href)).toContain(
      '/docs/user-guide/manage-your-job#why-a-job-failed',
    )
  })

  it('finds nothing for a word that is missing, and for a query without words', () => {
    expect(find('qwertzuiop')).toEqual([])
    expect(find('snapshot qwertzuiop')).toEqual(find('snapshot'))
    expect(find('  .*( ')).toEqual([])
  })

  it('returns at most thirty results for a word that is everywhere', () => {
    expect(find('a')).toHaveLength(30)
  })
})

it('a document with pages has one for each section, after the text before them', () => {
  const [entry] = documentEntries.filter(({ pages }) => pages)
  if (!entry) throw new Error('no document has pages')
  const { pages } = toDocument(entry, '# Title\n\nBefore.\n\n## One\n\n### Two\n\n## Three\n')
  expect(pages.map(({ href, title }) => [href, title])).toEqual([
    [`/docs/${entry.slug}`, 'Title'],
    [`/docs/${entry.slug}/one`, 'One'],
    [`/docs/${entry.slug}/three`, 'Three'],
  ])
  const found = findPage([toDocument(entry, '# Title\n\n## One\n\n## Three\n')], `/docs/${entry.slug}/one`)
  expect([found?.previous?.title, found?.next?.title]).toEqual(['Title', 'Three'])
})
