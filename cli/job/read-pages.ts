import type { Page } from '@/lib/http/client/transport'

/** The API's limit for one page. */
const pageSize = 200

/** Reads the pages of a list, up to `max` items. */
export async function readPages<Item>(
  max: number,
  readPage: (query: { limit: number; cursor: string | null }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page: Page<Item> = await readPage({ limit: Math.min(pageSize, max - items.length), cursor })
    items.push(...page.items)
    cursor = page.next
  } while (cursor !== null && items.length < max)
  return items
}
