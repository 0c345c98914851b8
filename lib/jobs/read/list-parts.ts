import { activeFirst } from '../../contract/search/sort'
import { decodeCursor, encodeCursor, wrongCursor } from '../../database/pagination'
import type { Bind, Condition } from './search-conditions'
import { type Order, toOrder } from './sort-order'

/** A part of a list. Its parts follow each other. */
interface ListPart {
  /** Which jobs of the list it has; absent: all. */
  condition?: Condition
  toOrder: (bind: Bind) => Order
}

/** The parts of the order `active`. Indexes have the few jobs that have not ended; almost all others have. */
const activeParts = [
  { name: 'running', sql: "j.status = 'running'" },
  { name: 'waiting', sql: "j.status IN ('pending', 'scheduled')" },
  { name: 'ended', sql: 'j.ended_at IS NOT NULL' },
] as const

/**
 * Reads `?sort=` and the cursor of the page. In the order `active`, a cursor also has the part: a job that changes its status while
 * somebody turns the pages is in the part of its new status. @throws 400 for a cursor of another order.
 */
export function toParts(sort: string | undefined, cursor: string | undefined): ListPart[] {
  if (sort !== activeFirst) return [{ toOrder: (bind) => toOrder(sort, cursor, bind) }]
  const [name, ...after] = cursor === undefined ? [activeParts[0].name] : decodeCursor(cursor, 3)
  const first = activeParts.findIndex((part) => part.name === name)
  if (first === -1) throw wrongCursor()
  return activeParts.slice(first).map((part, place) => ({
    condition: { sql: part.sql, ordered: 'together' },
    toOrder: (bind) => {
      const order = toOrder(undefined, place === 0 && cursor ? encodeCursor(after) : undefined, bind)
      return { ...order, cursorOf: (row) => [part.name, ...order.cursorOf(row)] }
    },
  }))
}
