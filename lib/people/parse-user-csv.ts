import Papa from 'papaparse'
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

const delimiters = [',', ';', '\t'] as const
const columnNames = Object.keys(importColumns) as ImportColumn[]

/**
 * Reads a file of users as spreadsheets write it: with a byte order mark, with commas, semicolons or tabs, with quotes, and with
 * any line ends. The first line names the columns, in any order and letter case.
 */
export function parseUserCsv(file: string): ParsedUsers {
  const text = file.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const [head, ...others] = readRecords(text)
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
    if (cells.length > columns.length) {
      const message = `The row has ${cells.length} cells, and the header has ${columns.length}. Write a cell with a separator in quotes.`
      problems.push({ line, column: null, message })
    }
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

interface CsvRecord {
  line: number
  cells: string[]
  problem: string | null
}

/** The rows that are not empty. A cell in quotes may have several lines. */
function readRecords(text: string): CsvRecord[] {
  const [first = ''] = text.trimStart().split('\n', 1)
  const count = (delimiter: string) => first.split(delimiter).length
  const delimiter = [...delimiters].sort((a, b) => count(b) - count(a))[0]
  const records: CsvRecord[] = []
  let [line, at] = [1, 0]
  Papa.parse<string[]>(text, {
    delimiter,
    newline: '\n',
    step: ({ data, errors, meta }, parser) => {
      const quotes = errors.some(({ type }) => type === 'Quotes')
      const problem = quotes
        ? 'A quote in this row is not closed. Write " at the end of the cell, and "" for a quote in it.'
        : null
      if (data.some((cell) => cell.trim() !== '')) records.push({ line, cells: data, problem })
      // The header, the users, and one more, which is the reason for the refusal.
      if (records.length === maxImportedUsers + 2) parser.abort()
      for (; at < meta.cursor; at++) if (text[at] === '\n') line++
    },
  })
  return records
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
