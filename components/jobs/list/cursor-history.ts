/**
 * Cursors lead only forward. The way back is remembered while the tab is open; who comes by a link straight to a later
 * page goes back to the first one.
 */
const cameFrom = new Map<string, string | null>()

/** Notes which page leads to the page of `next`. */
export function noteNextPage(next: string | null, current: string | null): void {
  if (next !== null) cameFrom.set(next, current)
}

/** The cursor of the page before; null is the first page. */
export function previousCursor(cursor: string): string | null {
  return cameFrom.get(cursor) ?? null
}
