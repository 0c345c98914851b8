import { z } from 'zod'

/** The suites whose latest results docs/reliability.md shows. */
export const suites = ['faults', 'hostile', 'soak'] as const

const suiteSchema = z.object({
  suite: z.enum(suites),
  date: z.iso.datetime(),
  machine: z.string(),
  seed: z.number().nullable().describe('null: nothing was random'),
  hours: z.number().optional(),
  rows: z.array(
    z.object({
      name: z.string(),
      moments: z.number().describe('how often it was tried'),
      passed: z.union([z.boolean(), z.number()]).describe('whether all passed, or how many'),
      note: z.string().optional(),
    }),
  ),
})

export type Suite = z.infer<typeof suiteSchema>
type Row = Suite['rows'][number]

/** Parses a suite's file of results. @throws if it has another shape. */
export function parseSuite(json: string): Suite {
  return suiteSchema.parse(JSON.parse(json))
}

/** Replaces the table of one suite in the text of docs/reliability.md. */
export function renewTable(text: string, suite: Suite): string {
  const start = `<!-- results of ${suite.suite} -->\n`
  const end = `<!-- end of ${suite.suite} -->`
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from === -1 || to < from)
    throw new Error(
      `docs/reliability.md has no place for the results of ${suite.suite}. Add "${start.trim()}" and "${end}".`,
    )
  return `${text.slice(0, from + start.length)}\n${renderTable(suite)}\n${text.slice(to)}`
}

function renderTable({ date, machine, seed, hours, rows }: Suite): string {
  const duration = hours === undefined ? '' : `, ${hours} h`
  const failed = rows.filter((row) => !hasPassed(row)).length
  const summary = failed === 0 ? 'All rows passed.' : `**${failed} of ${rows.length} rows failed.**`
  return [
    `${date.slice(0, 10)}${duration}${seed === null ? '' : `, seed ${seed}`}, on ${machine}. ${summary}`,
    '',
    '| what was tried | how often | passed | note |',
    '| --- | --- | --- | --- |',
    ...rows.map(renderRow),
    '',
  ].join('\n')
}

const hasPassed = ({ moments, passed }: Row) => passed === true || passed === moments

function renderRow(row: Row): string {
  const { name, moments, passed, note = '' } = row
  const outcome = typeof passed === 'number' ? String(passed) : passed ? 'yes' : '**no**'
  return `| ${[name, String(moments), outcome, note].map(toCell).join(' | ')} |`
}

/** A text of a program could end the cell. */
function toCell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
