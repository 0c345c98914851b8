import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loaded } from '../shell/load-failure'
import { SkeletonRows } from '../ui/skeleton'

interface LinkListProps<Link> {
  title: string
  query: UseQueryResult<Link[]>
  /** Shows a link as a row. */
  children: (link: Link) => ReactNode
}

/** The read-only links that have not ended. */
export function LinkList<Link>({ title, query, children }: LinkListProps<Link>) {
  return (
    <Loaded query={query} placeholder={<SkeletonRows rows={2} />}>
      {(links) => (
        <section aria-label={title} className="border-t pt-4">
          <h3 className="mb-2 font-medium text-sm">{title}</h3>
          {links.length === 0 ? (
            <p className="text-muted text-sm">None. A link that has expired is not listed.</p>
          ) : (
            <ul className="flex flex-col">{links.map(children)}</ul>
          )}
        </section>
      )}
    </Loaded>
  )
}
