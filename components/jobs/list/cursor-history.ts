/**
 * Cursors lead only forward. This map remembers the way back while the tab is open. From a page opened by a link, the
 * way back leads to the first page.
 */
const previousOf = new Map<string, string | null>()

/** Notes which page leads to the page of `next`. */
export function noteNextPage(next: string | null, current: string | null): void {
  if (next !== null) previousOf.set(next, current)
}

/** The cursor of the page before; null is the first page. */
export function previousCursor(cursor: string): string | null {
  return previousOf.get(cursor) ?? null
}
