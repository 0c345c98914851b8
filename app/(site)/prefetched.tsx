import { dehydrate, HydrationBoundary, QueryClient, type QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { withTimeout } from '@/lib/async/sleep'
import { GpuqError } from '@/lib/contract/errors'

/** The first page of an infinite query. */
export async function firstPage<Item>(page: Promise<Item>): Promise<{ pages: Item[]; pageParams: null[] }> {
  return { pages: [await page], pageParams: [null] }
}

/** A page that loads a part of its content later is better than a slow page. */
const timeoutMs = 500

/** The answer, or undefined after a timeout: the browser then requests it. */
export function ifLoadedSoon<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return withTimeout(answer, timeoutMs, () => undefined)
}

interface PrefetchedProps {
  queryKey: QueryKey
  /** The result of the query. On an error the browser repeats the request and shows the error. */
  load: () => Promise<unknown>
  children: ReactNode
}

/** Sends a query's result with the page, so that the page opens with its content. */
export async function Prefetched({ queryKey, load, children }: PrefetchedProps) {
  const client = new QueryClient()
  try {
    client.setQueryData(queryKey, await load())
  } catch (error) {
    if (!(error instanceof GpuqError)) throw error
  }
  return <HydrationBoundary state={dehydrate(client)}>{children}</HydrationBoundary>
}
