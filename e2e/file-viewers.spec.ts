import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expectNoSideScroll, test } from './browser-test'
import { signIn } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, submit } from './uploads'

/** The files of a job in the form that fits their type: tables, trees, notebooks and pictures. */

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** A million rows in 18 kB: each value is written once. */
const parquet = Buffer.from(
  parquetWriteBuffer({
    columnData: [
      {
        name: 'part',
        type: 'INT32',
        data: Int32Array.from({ length: 1_000_000 }, (_, row) => 999 - Math.floor(row / 1000)),
      },
      {
        name: 'name',
        type: 'STRING',
        data: Array.from({ length: 1_000_000 }, (_, row) => `name ${Math.floor(row / 100) % 97}`),
      },
    ],
  }),
).toString('base64')

/** A million rows in 40 MB, made of 1,000 parts. The numbers go down, so that sorting changes their order. */
const program = `
import base64, json, os, struct, zlib

def png(tone, width=160, height=120):
    part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join(b"\\0" + bytes(value for x in range(160) for value in (tone, x, y)) for y in range(120))
    head = part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\\x89PNG\\r\\n\\x1a\\n" + head + part(b"IDAT", zlib.compress(lines)) + part(b"IEND", b"")

os.makedirs("/results/plots")
with open("/results/million.csv", "w") as file:
    file.write("id,loss,name,note\\n")
    for part in range(1000):
        file.write("".join(f"{999999 - part * 1000 - row},0.{part:03d}{row:03d},name {row % 97},=1+{row}\\n" for row in range(1000)))
with open("/results/line.csv", "w") as file:
    for part in range(64):
        file.write("x" * (1 << 20))
open("/results/small.tsv", "w").write("epoch\\tscore\\n1\\t0.5\\n2\\t\\n3\\t0.25\\n")
json.dump({"loss": float("nan"), "layers": [{"units": 64}], "html": "<img src=x onerror=alert(1)>"}, open("/results/metrics.json", "w"))
open("/results/deep.json", "w").write("[" * 100000 + "]" * 100000)
open("/results/bad.json", "w").write('{"a": 1,\\n oops}')
picture = base64.b64encode(png(90)).decode()
output = lambda data: {"output_type": "display_data", "data": data, "metadata": {}}
cells = [
    {"cell_type": "markdown", "source": ["# Report\\n", "| a | b |\\n", "| - | - |\\n", "| 1 | 2 |\\n", "<script>alert(1)</script>"]},
    {"cell_type": "code", "source": "train()", "execution_count": 3, "outputs": [
        {"output_type": "stream", "name": "stdout", "text": ["\\x1b[31mepoch 1\\x1b[0m\\n"]},
        output({"image/png": picture}),
        output({"image/svg+xml": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script><rect width="9" height="9"/></svg>'}),
        output({"text/html": "<script>alert(1)</script>", "text/plain": "a table as text"}),
    ]},
]
json.dump({"nbformat": 4, "cells": cells + [{"cell_type": "code", "source": f"step({n})", "outputs": []} for n in range(10000)]}, open("/results/report.ipynb", "w"))
open("/results/million.parquet", "wb").write(base64.b64decode("${parquet}"))
for tone, name in enumerate(["a", "b", "c"]):
    open(f"/results/plots/{name}.png", "wb").write(png(tone * 120))
open("/results/plots/bomb.png", "wb").write(png(90, 60000, 60000))
`

let person: TestUser
let id: string
test.beforeAll(async () => {
  person = await createUser({ name: 'viewers', limits: noLimits })
  id = await submit(person, program, configText({}), { wait: true })
})

async function openFiles(page: Page, width: number, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height: 900 })
  await page.goto(`/jobs/${id}?tab=files`)
  await expect(page.getByText('12 files')).toBeVisible()
}

const open = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** The whole page in view: a row that is scrolled halfway below the header would count as too small to press. */
async function expectAccessible(page: Page): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 900 }
  await page.setViewportSize({ ...size, height: 4000 })
  expect((await new AxeBuilder({ page }).withTags(wcag).analyze()).violations).toEqual([])
  await page.setViewportSize(size)
}

for (const [width, scheme] of [
  [1280, 'light'],
  [390, 'dark'],
] as const) {
  test(`small files have viewers at ${width} px, ${scheme}`, async ({ page, context, watch }) => {
    await signIn(context, person)
    await openFiles(page, width, scheme)

    await open(page, 'small.tsv')
    const table = page.getByRole('grid', { name: 'Table of small.tsv' })
    await expect(table.getByRole('columnheader', { name: /score\s*number/ })).toBeVisible()
    await table.getByRole('button', { name: /score/ }).click()
    await expect(table.getByRole('gridcell')).toHaveText(['3', '0.25', '1', '0.5', '2', ''])
    await page.getByRole('button', { name: 'Filter columns' }).click()
    await table.getByRole('textbox', { name: 'Filter score' }).fill('> 0.3')
    await expect(page.getByText('1 of 3 rows match, 2 columns')).toBeVisible()
    await expectAccessible(page)
    await open(page, 'small.tsv')

    await open(page, 'metrics.json')
    const tree = page.getByRole('tree', { name: 'Tree of metrics.json' })
    await expect(tree).toContainText('NaN')
    await expect(tree).toContainText('<img src=x')
    await expect(page.getByText('The file has NaN or Infinity')).toBeVisible()
    await open(page, 'bad.json')
    await expect(page.getByText(/This is not JSON\..*line 2 column 2/)).toBeVisible()
    await open(page, 'deep.json')
    const deep = page.getByRole('tree', { name: 'Tree of deep.json' })
    await deep.press('End')
    await expect(deep.getByRole('treeitem').last()).toBeVisible()
    await expectAccessible(page)
    for (const name of ['metrics.json', 'bad.json', 'deep.json']) await open(page, name)

    await open(page, 'report.ipynb')
    const notebook = page.getByRole('region', { name: 'Notebook report.ipynb' })
    await expect(notebook.getByRole('heading', { name: 'Report' })).toBeVisible()
    await expect(notebook.getByRole('cell', { name: '2' })).toBeVisible()
    await expect(notebook).toContainText('epoch 1')
    await expect(notebook).toContainText('a table as text')
    await expect(notebook.getByRole('img')).toHaveCount(2)
    await expect(notebook.getByRole('button', { name: 'Show more of 10,002 cells' })).toBeAttached()
    expect(await notebook.locator('script').count()).toBe(0)
    await expectAccessible(page)
    await expectNoSideScroll(page)
    await notebook.scrollIntoViewIfNeeded()
    await open(page, 'report.ipynb')

    await open(page, 'plots/bomb.png')
    await expect(page.getByText('The image has 60,000 × 60,000 pixels.')).toBeVisible()
    await expect(page.getByRole('link', { name: 'Download', exact: true })).toBeVisible()
    await open(page, 'plots/bomb.png')
    watch.tolerate(/409/)
    await page.getByRole('radio', { name: '4 images' }).click()
    await expect(page.getByRole('img', { name: 'plots/c.png' })).toBeVisible()
    await page.getByRole('button', { name: 'plots/a.png' }).click()
    const large = page.getByRole('dialog', { name: 'plots/a.png' })
    await expect(large).toBeVisible()
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('dialog', { name: 'plots/b.png' })).toBeVisible()
    await expect(page.getByText('2 of 4')).toBeVisible()
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('dialog').getByText('more than 50 megapixels')).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'plots/a.png' })).toBeFocused()
    await expectNoSideScroll(page)
  })
}

for (const [width, scheme] of [
  [1280, 'dark'],
  [390, 'light'],
] as const) {
  test(`a million rows are scrolled, sorted and filtered at ${width} px, ${scheme}`, async ({
    page,
    context,
  }) => {
    await signIn(context, person)
    await openFiles(page, width, scheme)

    await open(page, 'line.csv')
    await expect(page.getByText('The first row is longer than 1.0 MiB.')).toBeVisible()
    await open(page, 'line.csv')

    await open(page, 'million.csv')
    const table = page.getByRole('grid', { name: 'Table of million.csv' })
    await expect(table.getByRole('gridcell', { name: '999999', exact: true })).toBeVisible()
    await expect(page.getByText('1,000,000 rows, 4 columns')).toBeVisible()
    await expect(table).toHaveAttribute('aria-rowcount', '1000001')

    await table.getByRole('button', { name: /^id/ }).click()
    await expect(table.getByRole('gridcell', { name: '0', exact: true })).toBeVisible()
    await table.press('Control+End')
    await expect(table.getByRole('row', { name: /^999999/ })).toHaveAttribute('aria-rowindex', '1000001')
    await expect(page.getByText('Row 1,000,000, note')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Text of the cell' })).toHaveText('=1+0')

    await page.getByRole('textbox', { name: 'Search all columns' }).fill('NAME 96')
    await expect(page.getByText('10,000 of 1,000,000 rows match, 4 columns')).toBeVisible()
    await expectAccessible(page)
    await expectNoSideScroll(page)

    await open(page, 'million.csv')
    await open(page, 'million.parquet')
    await expect(page.getByText('1,000,000 rows, 2 columns')).toBeVisible()
    const columns = page.getByRole('grid', { name: 'Table of million.parquet' })
    await expect(columns.getByRole('columnheader', { name: /part\s*number/ })).toBeVisible()
    await columns.getByRole('button', { name: /^part/ }).click()
    await expect(columns.getByRole('row').nth(1)).toContainText('0')
    await expect(columns.getByRole('gridcell').first()).toHaveText('0')
  })
}
