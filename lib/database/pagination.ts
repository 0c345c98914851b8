import { z } from 'zod'
import { invalidRequest } from '../contract/errors'
import { parseJson } from '../contract/parse-json'

/**
 * A page of a list with keyset pagination. A cursor is the sort key of the last row, so all pages cost the same, and new
 * rows do not make a row appear twice. Cursors are opaque to callers.
 */
export interface Page<Item> {
  items: Item[]
  /** The cursor of the next page; null on the last one. */
  next: string | null
}

/** The error for a cursor whose values a list cannot use. */
export const wrongCursor = () =>
  invalidRequest('The cursor is invalid. Use the one in the Link header of the previous page.')

export function encodeCursor(values: readonly string[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** The `length` values of a cursor, whose meaning the caller checks. @throws 400 for an invalid cursor. */
export function decodeCursor(text: string, length: number): string[] {
  // PostgreSQL's text refuses NUL, and no valid cursor contains it.
  const schema = z.array(z.string().regex(/^[^\0]*$/)).length(length)
  const parsed = schema.safeParse(parseJson(Buffer.from(text, 'base64url').toString('utf8')))
  if (!parsed.success) throw wrongCursor()
  return parsed.data
}

const timeAndId = z.tuple([z.iso.datetime(), z.uuid()])

/** The cursor of a list sorted by (time, id), checked, as values for SQL; nulls for the first page. */
export function decodeTimeCursor(text: string | undefined): { at: string | null; id: string | null } {
  if (text === undefined) return { at: null, id: null }
  const parsed = timeAndId.safeParse(decodeCursor(text, 2))
  if (!parsed.success) throw wrongCursor()
  const [at, id] = parsed.data
  return { at, id }
}

/** Makes a page of up to `limit + 1` rows. The additional row only shows that there is a next page. */
export function cutPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => readonly string[],
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(toItem),
    next: last !== undefined && rows.length > limit ? encodeCursor(keyOf(last)) : null,
  }
}
