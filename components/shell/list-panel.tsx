'use client'

import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Page } from '@/lib/http/client/transport'
import { Button } from '../ui/button'
import { Panel } from '../ui/panel'
import { SkeletonRows } from '../ui/skeleton'
import { LoadFailure } from './load-failure'

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
export function ListPanel<Item>({ query, header, empty, placeholderRows, children }: ListPanelProps<Item>) {
  return (
    <Panel>
      {header}
      <ListBody query={query} empty={empty} {...(placeholderRows ? { placeholderRows } : {})}>
        {children}
      </ListBody>
    </Panel>
  )
}

function ListBody<Item>({ query, empty, placeholderRows, children }: Omit<ListPanelProps<Item>, 'header'>) {
  if (query.isPending) return <SkeletonRows rows={placeholderRows ?? 4} />
  if (query.isError && !query.data) {
    return <LoadFailure className="m-4" error={query.error} onRetry={() => void query.refetch()} />
  }
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  if (items.length === 0) return empty
  return (
    <>
      {children(items)}
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
    </>
  )
}
