import { dehydrate, HydrationBoundary, QueryClient, type QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { withTimeout } from '@/lib/async/sleep'
import { GpuqError } from '@/lib/contract/errors'

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

/** A page that opens with a part of its content missing beats one that does not open. */
const soonMs = 500

/** An answer that is there soon. Undefined for one that takes longer: the browser asks for it itself. */
export function ifSoon<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return withTimeout(answer, soonMs, () => undefined)
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
