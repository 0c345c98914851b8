import Papa from 'papaparse'
import { useMemo } from 'react'
import { formatNumber } from '../../ui/format-number'

const maxRows = 200
const maxColumns = 50

interface CsvTableProps {
  text: string
  /** The text is only the beginning of the file. */
  truncated: boolean
}

/** The first rows and columns of a CSV or TSV file. */
export function CsvTable({ text, truncated }: CsvTableProps) {
  const { head, rows, cutRows, cutColumns } = useMemo(() => parseCsv(text, truncated), [text, truncated])
  return (
    <>
      <table className="w-max min-w-full border-collapse text-left font-mono text-xs">
        <thead className="sticky top-0 bg-sunken">
          <tr>
            {head.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell has only its position
              <th key={column} scope="col" className="max-w-80 truncate border-b px-3 py-1.5 font-medium">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row has only its position
            <tr key={row} className="border-b last:border-b-0">
              {cells.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell has only its position
                <td key={column} className="max-w-80 truncate px-3 py-1">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {cutRows || cutColumns ? (
        <p className="border-t px-3 py-1.5 text-subtle text-xs">
          The preview has at most {formatNumber(maxRows)} rows and {maxColumns} columns.
        </p>
      ) : null}
    </>
  )
}

interface ParsedCsv {
  head: string[]
  rows: string[][]
  cutRows: boolean
  cutColumns: boolean
}

/** Parses the rows that are shown. */
export function parseCsv(text: string, truncated: boolean): ParsedCsv {
  const { data } = Papa.parse<string[]>(text, { preview: maxRows + 2, skipEmptyLines: 'greedy' })
  // The last row of a truncated text may be incomplete.
  const complete = truncated && data.length < maxRows + 2 ? data.slice(0, -1) : data
  const [head = [], ...rows] = complete.map((row) => row.slice(0, maxColumns))
  return {
    head,
    rows: rows.slice(0, maxRows),
    cutRows: rows.length > maxRows,
    cutColumns: data.some((row) => row.length > maxColumns),
  }
}
