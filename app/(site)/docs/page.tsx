import { BookOpen, Braces } from 'lucide-react'
import NextLink from 'next/link'
import { SearchForm } from '@/components/docs/search-form'
import { PageHeader } from '@/components/ui/page-header'
import { documentGroups } from '@/lib/docs/catalog'
import { readDocuments } from '@/lib/docs/documents'
import { version } from '@/package.json'

export default async function DocsPage() {
  const documents = await readDocuments()
  return (
    <>
      <PageHeader title="Documentation" description={`This is the documentation of gpuq ${version}.`} />
      <SearchForm className="mb-8 max-w-xl" />
      <div className="flex flex-col gap-8">
        {documentGroups.map((group) => (
          <section key={group.title} aria-label={group.title}>
            <h2 className="mb-3 font-semibold text-lg">{group.title}</h2>
            <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
              {documents
                .filter(({ entry }) => group.documents.includes(entry))
                .map(({ href, title, entry }) => (
                  <DocumentCard
                    key={href}
                    href={href}
                    icon={BookOpen}
                    title={title}
                    description={entry.description}
                  />
                ))}
            </ul>
          </section>
        ))}
        <section aria-label="Reference">
          <h2 className="mb-3 font-semibold text-lg">Reference</h2>
          <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
            <DocumentCard
              href="/docs/api"
              icon={Braces}
              title="API reference"
              description="Every operation of this server, with examples in curl, Python and JavaScript."
            />
          </ul>
        </section>
      </div>
    </>
  )
}

interface DocumentCardProps {
  href: string
  icon: typeof BookOpen
  title: string
  description: string
}

function DocumentCard({ href, icon: Icon, title, description }: DocumentCardProps) {
  return (
    <li>
      <NextLink
        href={href}
        className="flex h-full gap-3 rounded-lg border bg-surface p-4 shadow-panel hover:border-line-strong hover:bg-hover"
      >
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-subtle" />
        <span className="min-w-0">
          <span className="block font-medium text-ink">{title}</span>
          <span className="mt-0.5 block text-muted text-sm">{description}</span>
        </span>
      </NextLink>
    </li>
  )
}
