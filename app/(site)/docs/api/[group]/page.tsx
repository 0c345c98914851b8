import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { notFound } from 'next/navigation'
import { ApiOperation, ApiTypes } from '@/components/docs/api-operation'
import { Contents } from '@/components/docs/contents'
import { SearchForm } from '@/components/docs/search-form'
import { PageHeader } from '@/components/ui/page-header'
import { apiReference } from '@/lib/docs/reference/api-reference'
import { siteOrigin } from '@/lib/http/origin'

type Props = { params: Promise<{ group: string }> }

async function readGroups({ params }: Props) {
  const [{ group: slug }, requestHeaders] = await Promise.all([params, headers()])
  const groups = apiReference(siteOrigin({ headers: requestHeaders }))
  return { groups, group: groups.find((one) => one.slug === slug) }
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { group } = await readGroups(props)
  return group ? { title: `${group.title} · API reference`, description: group.description } : {}
}

export default async function ApiGroupPage(props: Props) {
  const { groups, group } = await readGroups(props)
  if (!group) notFound()
  const contents = groups.map((other) => ({
    href: `/docs/api/${other.slug}`,
    label: other.title,
    current: other === group,
    below:
      other === group ? group.operations.map(({ id, summary }) => ({ href: `#${id}`, label: summary })) : [],
  }))
  return (
    <>
      <PageHeader
        title={group.title}
        path={[
          { label: 'Documentation', href: '/docs' },
          { label: 'API reference', href: '/docs/api' },
        ]}
        description={group.description}
        actions={<SearchForm className="w-full sm:w-72" />}
      />
      <div className="flex flex-col gap-x-10 xl:flex-row-reverse">
        <Contents items={contents} />
        <article className="min-w-0 max-w-3xl flex-1">
          {group.operations.map((operation) => (
            <ApiOperation key={operation.id} operation={operation} />
          ))}
          <ApiTypes operations={group.operations} />
        </article>
      </div>
    </>
  )
}
