import { z } from 'zod'
import type { SortKey } from '../../contract/job-columns'
import { metricPrefix } from '../../contract/search/search-keys'
import { decodeCursor, decodeTimeCursor, wrongCursor } from '../../database/pagination'

/** A row of a list with what it is sorted by. */
export interface Sorted {
  job_id: string
  created_at: Date
  sort_key: Date | number
}

/** Where the sorted jobs `j` of a list come from. */
interface Source {
  /** SQL of the tables that have the jobs and the key. */
  from: string
  /** SQL of what the list is sorted by. The id follows. */
  key: string
  /** SQL conditions: which jobs the order has, and where the page begins. */
  where: string[]
}

/** The order of a list of jobs. */
export interface Order {
  direction: 'ASC' | 'DESC'
  /** Whether it is the order of submission, which most indexes have. */
  newest: boolean
  /** To read the jobs in this order from an index. */
  walk: Source
  /** To sort jobs that were found otherwise. */
  find: Source
  cursorOf: (row: Sorted) => string[]
}

type Amount = Exclude<SortKey, 'submitted'>

/** The indexes of amounts have only jobs that have run and ended. */
export const hasEnded = 'j.started_at IS NOT NULL AND j.ended_at IS NOT NULL'

/** As the indexes have them. */
export const amounts: Record<Amount, string> = {
  run_time: 'extract(epoch FROM j.ended_at - j.started_at)::float8',
  wait: 'extract(epoch FROM j.started_at - j.created_at)::float8',
  gpu_hours: 'requested_gpus(j.spec) * extract(epoch FROM j.ended_at - j.started_at)::float8 / 3600',
}

/** Reads an order other than `active`, and its cursor. @throws 400 for a cursor of another order. */
export function toOrder(
  sort: string | undefined,
  cursor: string | undefined,
  bind: (value: unknown) => string,
): Order {
  const name = (sort ?? '-submitted').replace(/^-/, '')
  const direction = sort === undefined || sort.startsWith('-') ? 'DESC' : 'ASC'
  const comparison = direction === 'DESC' ? '<' : '>'
  if (name === 'submitted') {
    const after = decodeTimeCursor(cursor)
    const source = {
      from: 'jobs j',
      key: 'j.created_at',
      where: after.at
        ? [`(j.created_at, j.id) ${comparison} (${bind(after.at)}::timestamptz, ${bind(after.id)}::uuid)`]
        : [],
    }
    const cursorOf = ({ created_at, job_id }: Sorted) => [created_at.toISOString(), job_id]
    return { direction, newest: true, walk: source, find: source, cursorOf }
  }
  const after = decodeAmountCursor(cursor)
  const first = after && { value: bind(after[0]), id: bind(after[1]) }
  const sourceOf = (from: string, key: string, id: string, where: string[]): Source => ({
    from,
    key,
    where: first
      ? [...where, `(${key}, ${id}) ${comparison} (${first.value}::float8, ${first.id}::uuid)`]
      : where,
  })
  const order = {
    direction,
    newest: false,
    cursorOf: ({ sort_key, job_id }: Sorted) => [String(sort_key), job_id],
  } as const
  if (!name.startsWith(metricPrefix)) {
    const source = sourceOf('jobs j', amounts[name as Amount], 'j.id', [hasEnded])
    return { ...order, walk: source, find: source }
  }
  const metric = `${bind(name.slice(metricPrefix.length))}::text`
  const values = `jobs j JOIN job_metrics m ON m.job_id = j.id AND m.name = ${metric}`
  const value = `(j.final_metrics->>${metric})::float8`
  return {
    ...order,
    walk: sourceOf(values, 'm.value', 'm.job_id', []),
    find: sourceOf('jobs j', value, 'j.id', ["j.final_metrics <> '{}'", `${value} IS NOT NULL`]),
  }
}

const amountAndId = z.tuple([z.string().min(1).transform(Number).pipe(z.number()), z.uuid()])

function decodeAmountCursor(text: string | undefined): [number, string] | null {
  if (text === undefined) return null
  const parsed = amountAndId.safeParse(decodeCursor(text, 2))
  if (!parsed.success) throw wrongCursor()
  return parsed.data
}
