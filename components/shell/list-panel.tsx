import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Page } from '@/lib/http/client/transport'
import { Button } from '../ui/button'
import { Panel } from '../ui/panel'
import { SkeletonRows } from '../ui/skeleton'
import { Loaded } from './load-failure'

interface ListPanelProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<Page<Item>>>
  /** Always shown above the list: a search or filters. */
  header?: ReactNode
  /** Shown if the list is empty. */
  empty: ReactNode
  /** Rows of the loading placeholder. */
  placeholderRows?: number
  children: (items: Item[]) => ReactNode
}

/** A list with pages: loading, error and empty states, and a button for more. */
export function ListPanel<Item>({
  query,
  header,
  empty,
  placeholderRows = 4,
  children,
}: ListPanelProps<Item>) {
  return (
    <Panel>
      {header}
      <Loaded query={query} placeholder={<SkeletonRows rows={placeholderRows} />} failureClass="m-4">
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items)
          return items.length === 0 ? empty : children(items)
        }}
      </Loaded>
      {query.hasNextPage ? (
        <div className="grid place-items-center border-t p-2">
          <Button
            variant="ghost"
            size="sm"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </Button>
        </div>
      ) : null}
    </Panel>
  )
}
