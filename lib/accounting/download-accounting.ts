import type { Actor } from '../access/actor'
import { isCredentialValid } from '../access/credential-validity'
import { toCell } from '../contract/text/csv-cell'
import { contentDisposition } from '../jobs/downloads/content-disposition'
import type { AccountingQuery, AccountingRow } from './contract'
import { rangeOf } from './contract-range'
import { readAllRows } from './read-accounting'

const columns = [
  'completed',
  'failed',
  'cancelled',
  'gpu_hours',
  'measured_gpu_hours',
  'used_gpu_hours',
  'idle_gpu_hours',
  'efficiency',
  'cpu_hours',
  'median_wait_s',
  'p90_wait_s',
] as const satisfies readonly (keyof AccountingRow)[]

/** The rows of the accounting as CSV. */
export async function downloadAccounting(actor: Actor, query: AccountingQuery): Promise<Response> {
  const rows = await readAllRows(actor, query)
  const { from, to } = rangeOf(query)
  const lines = [
    [query.by, 'name', ...columns].join(','),
    ...rows.map((row) =>
      [toCell(row.group), toCell(row.name ?? ''), ...columns.map((column) => toText(row[column]))].join(','),
    ),
  ]
  return contentDisposition(toBytes(lines), {
    name: `gpuq-${query.by}-${from}-${to}.csv`,
    type: 'text/csv; charset=utf-8',
    mayRead: () => isCredentialValid(actor),
  })
}

/** A millionth of an hour is less than what anybody pays for. */
function toText(value: number | null): string {
  return value === null ? '' : String(Math.round(value * 1e6) / 1e6)
}

async function* toBytes(lines: readonly string[]): AsyncGenerator<Buffer> {
  yield Buffer.from(`${lines.join('\r\n')}\r\n`)
}
