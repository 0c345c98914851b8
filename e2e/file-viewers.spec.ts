import { expect } from '@playwright/test'
import { test } from './browser-test'
import { browseLargeTable, openFile, writeLargeTable } from './pages/large-table'
import { expectFits, expectUsable, wholePage } from './pages/usable'
import { signIn } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, submit } from './uploads'

/** The files of a job in the form that fits their type: tables, trees, notebooks and pictures. */

const large = { thousands: 20, lineMiB: 4 }

const program = `
import base64, json, os, struct, zlib

def png(tone, width=160, height=120):
    part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join(b"\\0" + bytes(value for x in range(160) for value in (tone, x, y)) for y in range(120))
    head = part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\\x89PNG\\r\\n\\x1a\\n" + head + part(b"IDAT", zlib.compress(lines)) + part(b"IEND", b"")

os.makedirs("/results/plots")
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
for tone, name in enumerate(["a", "b", "c"]):
    open(f"/results/plots/{name}.png", "wb").write(png(tone * 120))
open("/results/plots/bomb.png", "wb").write(png(90, 60000, 60000))
${writeLargeTable(large)}`

let person: TestUser
let id: string
test.beforeAll(async () => {
  person = await createUser({ name: 'viewers', limits: noLimits })
  id = await submit(person, program, configText({}), { wait: true })
})

test.beforeEach(async ({ page, context }) => {
  await signIn(context, person)
  await page.goto(`/jobs/${id}?tab=files`)
  await expect(page.getByText('12 files')).toBeVisible()
})

test('small files have viewers', async ({ page, watch }) => {
  await openFile(page, 'small.tsv')
  const table = page.getByRole('grid', { name: 'Table of small.tsv' })
  await expect(table.getByRole('columnheader', { name: /score\s*number/ })).toBeVisible()
  await table.getByRole('button', { name: /score/ }).click()
  await expect(table.getByRole('gridcell')).toHaveText(['3', '0.25', '1', '0.5', '2', ''])
  await page.getByRole('button', { name: 'Filter columns' }).click()
  await table.getByRole('textbox', { name: 'Filter score' }).fill('> 0.3')
  await expect(page.getByText('1 of 3 rows match, 2 columns')).toBeVisible()
  await expectUsable(page, 'a table with filters', wholePage)
  await openFile(page, 'small.tsv')

  await openFile(page, 'metrics.json')
  const tree = page.getByRole('tree', { name: 'Tree of metrics.json' })
  await expect(tree).toContainText('NaN')
  await expect(tree).toContainText('<img src=x')
  await expect(page.getByText('The file has NaN or Infinity')).toBeVisible()
  await openFile(page, 'bad.json')
  await expect(page.getByText(/This is not JSON\..*line 2 column 2/)).toBeVisible()
  await openFile(page, 'deep.json')
  const deep = page.getByRole('tree', { name: 'Tree of deep.json' })
  await deep.press('End')
  await expect(deep.getByRole('treeitem').last()).toBeVisible()
  await expectUsable(page, 'trees of JSON', wholePage)
  for (const name of ['metrics.json', 'bad.json', 'deep.json']) await openFile(page, name)

  await openFile(page, 'report.ipynb')
  const notebook = page.getByRole('region', { name: 'Notebook report.ipynb' })
  await expect(notebook.getByRole('heading', { name: 'Report' })).toBeVisible()
  await expect(notebook.getByRole('cell', { name: '2' })).toBeVisible()
  await expect(notebook).toContainText('epoch 1')
  await expect(notebook).toContainText('a table as text')
  await expect(notebook.getByRole('img')).toHaveCount(2)
  await expect(notebook.getByRole('button', { name: 'Show more of 10,002 cells' })).toBeAttached()
  expect(await notebook.locator('script').count()).toBe(0)
  await expectUsable(page, 'a notebook', wholePage)
  await notebook.scrollIntoViewIfNeeded()
  await openFile(page, 'report.ipynb')

  await openFile(page, 'plots/bomb.png')
  await expect(page.getByText('The image has 60,000 × 60,000 pixels.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Download', exact: true })).toBeVisible()
  await openFile(page, 'plots/bomb.png')
  watch.tolerate(/409/)
  await page.getByRole('radio', { name: '4 images' }).click()
  await expect(page.getByRole('img', { name: 'plots/c.png' })).toBeVisible()
  await page.getByRole('button', { name: 'plots/a.png' }).click()
  await expect(page.getByRole('dialog', { name: 'plots/a.png' })).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('dialog', { name: 'plots/b.png' })).toBeVisible()
  await expect(page.getByText('2 of 4')).toBeVisible()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('dialog').getByText('more than 50 megapixels')).toBeVisible()
  await expectUsable(page, 'an image of a gallery', wholePage)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'plots/a.png' })).toBeFocused()
  await expectFits(page, 'a gallery')
})

test('a large table is scrolled, sorted and filtered', async ({ page }) => {
  await browseLargeTable(page, large)
})
