import { SearchX } from 'lucide-react'
import type { Metadata } from 'next'
import { SearchForm } from '@/components/docs/search-form'
import { ButtonLink } from '@/components/ui/button-link'
import { EmptyState } from '@/components/ui/empty-state'
import { Link } from '@/components/ui/link'
import { PageHeader } from '@/components/ui/page-header'
import { maxDocumentationQuery } from '@/lib/contract/search/search-keys'
import { searchDocumentation } from '@/lib/docs/reference/search-documentation'
import { readSearchParams, type SearchParams } from '../../search-params'

export const metadata: Metadata = { title: 'Search' }

export default async function SearchPage({ searchParams }: { searchParams: SearchParams }) {
  const query = ((await readSearchParams(searchParams)).get('q') ?? '').trim().slice(0, maxDocumentationQuery)
  const hits = await searchDocumentation(query)
  return (
    <>
      <PageHeader title="Search" path={[{ label: 'Documentation', href: '/docs' }]} />
      <SearchForm key={query} query={query} className="mb-5 max-w-xl" />
      {query === '' ? (
        <p className="text-muted">Write words or a question. The section that answers it best comes first.</p>
      ) : hits.length === 0 ? (
        <EmptyState
          icon={SearchX}
          title={`Nothing found for “${query}”`}
          action={<ButtonLink href="/docs">All documents</ButtonLink>}
        >
          No section has these words. Use other words, or only the beginning of a word.
        </EmptyState>
      ) : (
        <>
          <p role="status" className="mb-3 text-muted text-sm">
            {hits.length} {hits.length === 1 ? 'section' : 'sections'}
          </p>
          <ol className="flex max-w-3xl flex-col gap-4">
            {hits.map(({ href, path, excerpt }) => (
              <li key={href}>
                <p className="text-muted text-xs">{path.slice(0, -1).join(' › ')}</p>
                <Link href={href} prefetch={false} className="font-medium">
                  {path.at(-1)}
                </Link>
                <p className="wrap-anywhere text-muted text-sm">{excerpt}</p>
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  )
}
