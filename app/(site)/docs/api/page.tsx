import type { Metadata } from 'next'
import { headers } from 'next/headers'
import NextLink from 'next/link'
import { SearchForm } from '@/components/docs/search-form'
import { CodeBlock } from '@/components/ui/code-block'
import { Link } from '@/components/ui/link'
import { PageHeader } from '@/components/ui/page-header'
import { apiReference } from '@/lib/docs/reference/api-reference'
import { siteOrigin } from '@/lib/http/origin'

export const metadata: Metadata = { title: 'API reference' }

export default async function ApiPage() {
  const origin = siteOrigin({ headers: await headers() })
  const groups = apiReference(origin)
  return (
    <>
      <PageHeader
        title="API reference"
        path={[{ label: 'Documentation', href: '/docs' }]}
        description="Every operation of this server. Its pages, the command line and the Python client use the same ones."
        actions={<SearchForm className="w-full sm:w-72" />}
      />
      <div className="mb-8 flex max-w-3xl flex-col gap-3 text-base">
        <p>
          Send a token with each request: <Link href="/tokens">create one</Link> and store it in the variable{' '}
          <code className="font-mono text-sm">TOKEN</code>. Words in capital letters in the examples, such as{' '}
          <code className="font-mono text-sm">ID</code>, are for you to replace.
        </p>
        <CodeBlock
          label="first request"
          title="bash"
          code={`export TOKEN=YOUR_TOKEN\ncurl '${origin}/api/jobs' -H "Authorization: Bearer $TOKEN"`}
        />
        <p>
          An error is <code className="font-mono text-sm">application/problem+json</code> (RFC 9457). Its{' '}
          <code className="font-mono text-sm">detail</code> says what to do, and its{' '}
          <code className="font-mono text-sm">code</code> is for programs. A 429 has the header{' '}
          <code className="font-mono text-sm">Retry-After</code>. Programs read the same reference as{' '}
          <a className="text-accent-ink underline underline-offset-2" href="/api/openapi.json">
            OpenAPI 3.1
          </a>
          .
        </p>
      </div>
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {groups.map(({ slug, title, description, operations }) => (
          <li key={slug}>
            <NextLink
              href={`/docs/api/${slug}`}
              className="block h-full rounded-lg border bg-surface p-4 shadow-panel hover:border-line-strong hover:bg-hover"
            >
              <span className="block font-medium">{title}</span>
              <span className="mt-0.5 block text-muted text-sm">{description}</span>
              <span className="mt-1 block text-subtle text-xs">
                {operations.length} {operations.length === 1 ? 'operation' : 'operations'}
              </span>
            </NextLink>
          </li>
        ))}
      </ul>
    </>
  )
}
