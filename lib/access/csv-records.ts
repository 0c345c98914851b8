import Papa from 'papaparse'

/** A row of a CSV file that is not empty. */
export interface CsvRecord {
  /** Line of the file, from 1. */
  line: number
  cells: string[]
  problem: string | null
}

const delimiters = [',', ';', '\t'] as const

/**
 * Reads the rows of a file as spreadsheets write it: with a byte order mark, with commas, semicolons or tabs, with quotes, and with any
 * line ends. A cell in quotes may have several lines.
 * @param most rows to read; the rest of the file is ignored
 */
export function readCsvRecords(file: string, most: number): CsvRecord[] {
  const text = file.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
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
      if (records.length === most) parser.abort()
      for (; at < meta.cursor; at++) if (text[at] === '\n') line++
    },
  })
  return records
}

/** What is wrong with a row that has more cells than the header; null: it has not. */
export function describeExtraCells(cells: readonly string[], columns: number): string | null {
  return cells.length > columns
    ? `The row has ${cells.length} cells, and the header has ${columns}. Write a cell with a separator in quotes.`
    : null
}
