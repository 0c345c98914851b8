import { z } from 'zod'
import { metricPrefix } from '../../contract/search/search-keys'
import type { sortKeys } from '../../contract/search/sort'
import { decodeCursor, decodeTimeCursor, wrongCursor } from '../../database/pagination'

/** A row of a list with what it is sorted by. */
export interface Sorted {
  job_id: string
  created_at: Date
  sort_key: Date | number
}

/** The order of a list of jobs `j`. */
export interface Order {
  /** SQL of the tables that have the jobs and the key. */
  from: string
  /** SQL of what the list is sorted by. The id follows. */
  key: string
  direction: 'ASC' | 'DESC'
  /** Whether it is the order of submission, which most indexes have. */
  newest: boolean
  /** SQL conditions: which jobs the order has, and where the page begins. */
  where: string[]
  cursorOf: (row: Sorted) => string[]
}

type Amount = Exclude<(typeof sortKeys)[number], 'submitted'>

/** The indexes of amounts have only jobs that have run and ended. */
export const hasEnded = 'j.started_at IS NOT NULL AND j.ended_at IS NOT NULL'

/** As the indexes have them. */
export const amounts: Record<Amount, string> = {
  run_time: 'extract(epoch FROM j.ended_at - j.started_at)::float8',
  wait: 'extract(epoch FROM j.started_at - j.created_at)::float8',
  gpu_hours: 'requested_gpus(j.spec) * extract(epoch FROM j.ended_at - j.started_at)::float8 / 3600',
}

/** Reads `?sort=` and the cursor of the page. @throws 400 for a cursor of another order. */
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
    return {
      from: 'jobs j',
      key: 'j.created_at',
      direction,
      newest: true,
      where: after.at
        ? [`(j.created_at, j.id) ${comparison} (${bind(after.at)}::timestamptz, ${bind(after.id)}::uuid)`]
        : [],
      cursorOf: ({ created_at, job_id }) => [created_at.toISOString(), job_id],
    }
  }
  const metric = name.startsWith(metricPrefix) ? bind(name.slice(metricPrefix.length)) : null
  const from = metric ? `jobs j JOIN job_metrics m ON m.job_id = j.id AND m.name = ${metric}::text` : 'jobs j'
  const key = metric ? 'm.value' : amounts[name as Amount]
  const id = metric ? 'm.job_id' : 'j.id'
  const after = decodeAmountCursor(cursor)
  return {
    from,
    key,
    direction,
    newest: false,
    where: [
      ...(metric ? [] : [hasEnded]),
      ...(after
        ? [`(${key}, ${id}) ${comparison} (${bind(after[0])}::float8, ${bind(after[1])}::uuid)`]
        : []),
    ],
    cursorOf: ({ sort_key, job_id }) => [String(sort_key), job_id],
  }
}

const amountAndId = z.tuple([z.string().min(1).transform(Number).pipe(z.number()), z.uuid()])

function decodeAmountCursor(text: string | undefined): [number, string] | null {
  if (text === undefined) return null
  const parsed = amountAndId.safeParse(decodeCursor(text, 2))
  if (!parsed.success) throw wrongCursor()
  return parsed.data
}
