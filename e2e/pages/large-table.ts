import { expect, type Page } from '@playwright/test'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expectUsable, wholePage } from './usable'

/** Tables with many rows among the files of a job. */

export interface LargeTable {
  /** Rows of each table, in thousands. */
  thousands: number
  /** Size of the file that is one line. */
  lineMiB: number
}

/** Each value is written once, so that a million rows have 18 kB. */
function parquetOf(thousands: number): string {
  const rows = thousands * 1000
  const part = Int32Array.from({ length: rows }, (_, row) => thousands - 1 - Math.floor(row / 1000))
  const name = Array.from({ length: rows }, (_, row) => `name ${Math.floor(row / 100) % 97}`)
  const columnData = [
    { name: 'part', type: 'INT32' as const, data: part },
    { name: 'name', type: 'STRING' as const, data: name },
  ]
  return Buffer.from(parquetWriteBuffer({ columnData })).toString('base64')
}

/** Python code that writes the tables, in parts of a thousand rows. The numbers go down, so that sorting changes their order. */
export const writeLargeTable = ({ thousands, lineMiB }: LargeTable) => `
import base64
with open("/results/large.csv", "w") as file:
    file.write("id,loss,name,note\\n")
    for part in range(${thousands}):
        file.write("".join(f"{${thousands} * 1000 - 1 - part * 1000 - row},0.{part:03d}{row:03d},name {row % 97},=1+{row}\\n" for row in range(1000)))
with open("/results/line.csv", "w") as file:
    for part in range(${lineMiB}):
        file.write("x" * (1 << 20))
open("/results/large.parquet", "wb").write(base64.b64decode("${parquetOf(thousands)}"))
`

/** Opens or closes a file in the list of a job's files. */
export const openFile = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Scrolls, sorts and filters the tables, on the page of the job's files. */
export async function browseLargeTable(page: Page, { thousands }: LargeTable): Promise<void> {
  const rows = thousands * 1000
  const shown = rows.toLocaleString('en')
  await openFile(page, 'line.csv')
  await expect(page.getByText('The first row is longer than 1.0 MiB.')).toBeVisible()
  await openFile(page, 'line.csv')

  await openFile(page, 'large.csv')
  const table = page.getByRole('grid', { name: 'Table of large.csv' })
  await expect(table.getByRole('gridcell', { name: String(rows - 1), exact: true })).toBeVisible()
  await expect(page.getByText(`${shown} rows, 4 columns`)).toBeVisible()
  await expect(table).toHaveAttribute('aria-rowcount', String(rows + 1))

  await table.getByRole('button', { name: /^id/ }).click()
  await expect(table.getByRole('gridcell', { name: '0', exact: true })).toBeVisible()
  await table.press('Control+End')
  const last = table.getByRole('row', { name: new RegExp(`^${rows - 1}`) })
  await expect(last).toHaveAttribute('aria-rowindex', String(rows + 1))
  await expect(page.getByText(`Row ${shown}, note`)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Text of the cell' })).toHaveText('=1+0')

  await page.getByRole('textbox', { name: 'Search all columns' }).fill('NAME 96')
  const found = (thousands * 10).toLocaleString('en')
  await expect(page.getByText(`${found} of ${shown} rows match, 4 columns`)).toBeVisible()
  await expectUsable(page, 'a large table', wholePage)

  await openFile(page, 'large.csv')
  await openFile(page, 'large.parquet')
  await expect(page.getByText(`${shown} rows, 2 columns`)).toBeVisible()
  const columns = page.getByRole('grid', { name: 'Table of large.parquet' })
  await expect(columns.getByRole('columnheader', { name: /part\s*number/ })).toBeVisible()
  await columns.getByRole('button', { name: /^part/ }).click()
  await expect(columns.getByRole('row').nth(1)).toContainText('0')
  await expect(columns.getByRole('gridcell').first()).toHaveText('0')
}
