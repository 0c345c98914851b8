import { dehydrate, HydrationBoundary, QueryClient, type QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { GpuqError } from '@/lib/errors'

interface PrefetchedProps {
  queryKey: QueryKey
  /** What the query would answer. A refusal is left to the browser's own request, which shows it. */
  load: () => Promise<unknown>
  children: ReactNode
}

/** What a list that comes in pages has asked for so far: its first one. */
export async function firstPage<Item>(page: Promise<Item>): Promise<{ pages: Item[]; pageParams: null[] }> {
  return { pages: [await page], pageParams: [null] }
}

/** Sends along what the page would ask for first, so that it opens with its content. */
export async function Prefetched({ queryKey, load, children }: PrefetchedProps) {
  const client = new QueryClient()
  try {
    client.setQueryData(queryKey, await load())
  } catch (error) {
    if (!(error instanceof GpuqError)) throw error
  }
  return <HydrationBoundary state={dehydrate(client)}>{children}</HydrationBoundary>
}
