import { describeExtraCells, readCsvRecords } from '../access/csv-records'
import type { ImportProblem } from './contract'
import { type ImportColumn, importColumns, maxImportedUsers } from './contract-import-file'

/** A row of the file. Empty cells are absent. */
export interface CsvRow {
  /** Line of the file, from 1. */
  line: number
  cells: Partial<Record<ImportColumn, string>>
}

interface ParsedUsers {
  rows: CsvRow[]
  problems: ImportProblem[]
}

const columnNames = Object.keys(importColumns) as ImportColumn[]

/** Reads a file of users as spreadsheets write it. The first line names the columns, in any order and letter case. */
export function parseUserCsv(file: string): ParsedUsers {
  // The header, the users, and one more, which is the reason for the refusal.
  const [head, ...others] = readCsvRecords(file, maxImportedUsers + 2)
  if (!head) return { rows: [], problems: [{ line: 1, column: null, message: 'The file is empty.' }] }
  const { columns, problems } = readHeader(head.line, head.cells)
  if (problems.length > 0) return { rows: [], problems }
  const rows: CsvRow[] = []
  for (const { line, cells, problem } of others) {
    if (problem !== null) problems.push({ line, column: null, message: problem })
    if (rows.length === maxImportedUsers) {
      const message = `The file has more than ${maxImportedUsers} users. Divide it.`
      return { rows: [], problems: [{ line, column: null, message }] }
    }
    const extra = describeExtraCells(cells, columns.length)
    if (extra !== null) problems.push({ line, column: null, message: extra })
    rows.push({ line, cells: toCells(columns, cells) })
  }
  return { rows, problems }
}

function toCells(columns: readonly ImportColumn[], cells: readonly string[]): CsvRow['cells'] {
  const given: CsvRow['cells'] = {}
  for (const [index, column] of columns.entries()) {
    const value = cells[index]?.trim()
    if (value) given[column] = value
  }
  return given
}

function readHeader(line: number, cells: readonly string[]) {
  const problems: ImportProblem[] = []
  const columns: ImportColumn[] = []
  // A line of separators must not have a message for each of them.
  for (const cell of cells.slice(0, columnNames.length + 1)) {
    const name = cell.trim().toLowerCase()
    const column = columnNames.find(
      (known) => known === name || (importColumns[known].names as readonly string[]).includes(name),
    )
    const shown = name.slice(0, 40)
    if (column === undefined) {
      const message = `There is no column “${shown}”. The columns are ${columnNames.join(', ')}.`
      problems.push({ line, column: shown, message })
    } else if (columns.includes(column)) {
      problems.push({ line, column, message: `The header has the column ${column} twice.` })
    } else columns.push(column)
  }
  if (problems.length === 0 && !columns.includes('user_id') && !columns.includes('email')) {
    problems.push({ line, column: null, message: 'The header needs the column user_id or email.' })
  }
  return { columns, problems }
}
