import type { Metadata } from 'next'
import { headers } from 'next/headers'
import NextLink from 'next/link'
import { notFound } from 'next/navigation'
import { Contents, type ContentsItem } from '@/components/docs/contents'
import { AnchoredHeading, type DocumentPicture, DocumentText } from '@/components/docs/document-text'
import { SearchForm } from '@/components/docs/search-form'
import { PageHeader } from '@/components/ui/page-header'
import { type DocumentPage, type FoundPage, findPage, readDocuments } from '@/lib/docs/documents'
import { readPictures } from '@/lib/docs/pictures'
import { resolveLink } from '@/lib/docs/resolve-link'
import { siteOrigin } from '@/lib/http/origin'

/** The title of a page for the browser's tab. */
export async function documentMetadata(href: string): Promise<Metadata> {
  const found = findPage(await readDocuments(), href)
  if (!found) return {}
  const { document, page } = found
  return {
    title: page.title === document.title ? page.title : `${page.title} · ${document.title}`,
    description: document.entry.description,
  }
}

/** A page of a document: the whole of a short one, a section of a long one. */
export async function DocumentPageView({ href }: { href: string }) {
  const [documents, pictures, requestHeaders] = await Promise.all([
    readDocuments(),
    readPictures(),
    headers(),
  ])
  const found = findPage(documents, href)
  if (!found) notFound()
  const { document, page } = found
  const divided = document.pages.length > 1
  const isSection = page !== document.pages[0]
  const path = [{ label: 'Documentation', href: '/docs' }]
  if (isSection) path.push({ label: document.title, href: document.href })
  const shared = {
    raised: divided ? (1 as const) : (0 as const),
    resolveLink: (link: string) => resolveLink(documents, document.entry.file, link),
    findPicture: (source: string) => toPicture(source, pictures),
    origin: siteOrigin({ headers: requestHeaders }),
  }
  return (
    <>
      <PageHeader title={page.title} path={path} actions={<SearchForm className="w-full sm:w-72" />} />
      <div className="flex flex-col gap-x-10 xl:flex-row-reverse">
        <Contents items={toContents(found)} />
        <article className="min-w-0 max-w-3xl flex-1">
          {page.sections.map(({ heading, headings, markdown }) => (
            <div key={heading?.id ?? ''} className="mb-5">
              {heading && !divided ? (
                <div className="mb-4">
                  <AnchoredHeading level={2} id={heading.id}>
                    {heading.text}
                  </AnchoredHeading>
                </div>
              ) : null}
              <DocumentText
                {...shared}
                markdown={markdown}
                headingIds={headings.filter((other) => other !== heading).map(({ id }) => id)}
              />
            </div>
          ))}
          <Neighbours {...found} />
        </article>
      </div>
    </>
  )
}

/** All pages of a divided document, with the headings of the page that is shown; or the headings of a short document. */
function toContents({ document, page }: FoundPage): ContentsItem[] {
  const below = (shown: DocumentPage): ContentsItem[] =>
    shown.sections.flatMap(({ heading, headings }) =>
      headings
        .filter((other) => other !== heading && other.level === 3)
        .map(({ id, text }) => ({ href: `#${id}`, label: text })),
    )
  if (document.pages.length === 1) {
    return page.sections.flatMap(({ heading }) =>
      heading ? [{ href: `#${heading.id}`, label: heading.text }] : [],
    )
  }
  return document.pages.map((other) => ({
    href: other.href,
    label: other.title,
    current: other === page,
    below: other === page ? below(other) : [],
  }))
}

/** `images/job-light.png` has a dark counterpart, `images/job-dark.png`. */
function toPicture(
  source: string,
  pictures: Awaited<ReturnType<typeof readPictures>>,
): DocumentPicture | undefined {
  const [, name = ''] = /^images\/([\w.-]+)$/.exec(source) ?? []
  const picture = pictures.get(name)
  if (!picture) return undefined
  const darkName = name.replace('-light.', '-dark.')
  const hasDark = darkName !== name && pictures.has(darkName)
  const { width, height } = picture
  return {
    light: `/docs/images/${name}`,
    ...(hasDark && { dark: `/docs/images/${darkName}` }),
    width,
    height,
  }
}

/** Links to the pages before and after a page. */
function Neighbours({ previous, next }: Pick<FoundPage, 'previous' | 'next'>) {
  if (!previous && !next) return null
  const styles = 'rounded-lg border bg-surface px-4 py-3 text-sm hover:bg-hover'
  return (
    <nav aria-label="Other pages" className="mt-8 grid gap-3 border-t pt-5 sm:grid-cols-2">
      {previous ? (
        <NextLink href={previous.href} className={styles}>
          <span className="block text-subtle text-xs">Previous</span>
          {previous.title}
        </NextLink>
      ) : (
        <span />
      )}
      {next ? (
        <NextLink href={next.href} className={`${styles} sm:text-right`}>
          <span className="block text-subtle text-xs">Next</span>
          {next.title}
        </NextLink>
      ) : null}
    </nav>
  )
}
