import { setImmediate } from 'node:timers/promises'
import * as z from 'zod'
import { describeExtraCells, readCsvRecords } from '../../access/csv-records'
import { label } from '../../contract/config/values'
import { maxRosterLines } from '../contract-limits'

/** Somebody who may join. */
export interface RosterPerson {
  /** In lower case. */
  email: string
  name: string | null
  section: string | null
}

export interface RosterProblem {
  /** Line of the file, from 1. */
  line: number
  message: string
}

export interface ParsedRoster {
  people: RosterPerson[]
  problems: RosterProblem[]
  /** What was understood, such as columns that were left out. */
  hints: string[]
  /** The file has a column of sections. */
  hasSections: boolean
}

/** The columns, with other names that people use for them. */
const columnNames = {
  email: ['email', 'e-mail', 'mail', 'e-mail address', 'email address'],
  name: ['name', 'full name'],
  section: ['section', 'group', 'class'],
} as const
type Column = keyof typeof columnNames

const schemas = {
  email: z.email('is not an e-mail address').max(254, 'must be at most 254 characters'),
  name: label(100),
  section: label(60),
}

/** Rows that are checked before other requests run. */
const rowsTogether = 2_000

/** Unknown columns that a hint names. */
const namedColumns = 5

/** Reads a roster, and lets other requests run meanwhile. The first line names the columns, in any order and letter case. */
export async function parseRoster(file: string): Promise<ParsedRoster> {
  // The header, the people, and one more, which is the reason for the refusal.
  const [head, ...rows] = readCsvRecords(file, maxRosterLines + 2)
  const refused = (line: number, message: string): ParsedRoster => ({
    people: [],
    problems: [{ line, message }],
    hints: [],
    hasSections: false,
  })
  if (!head)
    return refused(1, 'The file is empty. Write a header, email,name,section, and a line for each person.')
  const header = readHeader(head.cells)
  if ('problem' in header) return refused(head.line, header.problem)
  const excess = rows[maxRosterLines]
  if (excess) return refused(excess.line, `The file has more than ${maxRosterLines} people. Shorten it.`)
  const { columns, hints } = header
  const people: RosterPerson[] = []
  const problems: RosterProblem[] = []
  const lines = new Map<string, number>()
  for (const [index, { line, cells, problem }] of rows.entries()) {
    if (index % rowsTogether === 0) await setImmediate()
    const wrong = problem ?? describeExtraCells(cells, head.cells.length)
    const person = wrong === null ? readPerson(cells, columns) : wrong
    if (typeof person === 'string') {
      problems.push({ line, message: person })
      continue
    }
    const first = lines.get(person.email)
    if (first === undefined) lines.set(person.email, line)
    else problems.push({ line, message: `“${person.email.slice(0, 60)}” is in line ${first} already.` })
    people.push(person)
  }
  return { people, problems, hints, hasSections: columns.has('section') }
}

function readHeader(
  cells: readonly string[],
): { columns: Map<Column, number>; hints: string[] } | { problem: string } {
  const columns = new Map<Column, number>()
  const others: string[] = []
  for (const [index, cell] of cells.entries()) {
    const name = cell.trim().toLowerCase()
    const column = (Object.keys(columnNames) as Column[]).find((known) =>
      (columnNames[known] as readonly string[]).includes(name),
    )
    if (column === undefined) {
      if (name !== '') others.push(name.slice(0, 40))
    } else if (columns.has(column))
      return { problem: `The header has the column ${column} twice. Rename one of them.` }
    else columns.set(column, index)
  }
  if (!columns.has('email'))
    return {
      problem: 'The first line must name the columns, such as email,name,section. There is no column email.',
    }
  const more = others.length > namedColumns ? ` and ${others.length - namedColumns} more` : ''
  const hints =
    others.length > 0
      ? [
          `These columns were left out: ${others.slice(0, namedColumns).join(', ')}${more}. A roster has email, name and section.`,
        ]
      : []
  return { columns, hints }
}

/** Reads a row. Returns what is wrong with it as a text. */
function readPerson(cells: readonly string[], columns: ReadonlyMap<Column, number>): RosterPerson | string {
  const given = { email: '', name: null, section: null } as { [Name in Column]: string | null }
  for (const [column, index] of columns) {
    const value = cells[index]?.trim() ?? ''
    if (value === '') {
      if (column === 'email') return 'The row has no email.'
      continue
    }
    const checked = schemas[column].safeParse(value)
    if (!checked.success)
      return `${column} “${value.slice(0, 40)}”: ${checked.error.issues[0]?.message ?? 'is not valid'}.`
    given[column] = checked.data
  }
  return { ...given, email: (given.email ?? '').toLowerCase() }
}
