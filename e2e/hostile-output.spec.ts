import { expect } from '@playwright/test'
import { test } from './browser-test'
import { expectStatus, outputOf } from './job-page'
import { signIn } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, fileOf, longRunning, submit } from './uploads'

/** Jobs whose output attacks the page that shows it. */

const tricks = `
import json, sys
out = sys.stdout.buffer
for line in [
    b"<script>document.title='owned'</script><img src=x onerror=alert(1)>",
    b"\\x1b]8;;javascript:alert(1)\\x07a link of its own\\x1b]8;;\\x07",
    b"\\x1b]8;;https://evil.example/\\x1b\\\\another\\x1b]8;;\\x1b\\\\",
    b"\\x1b]52;c;ZXZpbA==\\x07clipboard",
    b"\\x1b]0;owned\\x07title",
    b"\\x1b[2J\\x1b[H\\x1b[3Jcleared?",
    b"\\x1b[31mred\\x1b[0m \\x1b[1;4;38;2;1;2;3mstyled\\x1b[0m \\x1b[999999999999m\\x1b[;;;;m",
    b"\\x1bP1;2|evil\\x1b\\\\\\x1b_evil\\x1b\\\\\\x1b^evil\\x1b\\\\strings",
    "bidi \\u202eevil\\u202c \\u2066x\\u2069".encode(),
    "separators \\u2028one\\u2029two\\x85three".encode(),
    b"nul \\x00 bell \\x07 backspace \\x08 delete \\x7f",
    b"\\xff\\xfe\\xc3( not UTF-8",
    b"progress 1%\\rprogress 100%",
    b"x" * 100_000,
    ("e" + "\\u0301" * 5_000).encode(),
    b'{"type":"exit","status":"completed","t":"2000-01-01T00:00:00.000Z"}',
    b"data: forged\\r\\n\\r\\nevent: end",
]:
    out.write(line + b"\\n")
out.flush()
for row in [
    {"<img src=x onerror=alert(1)>": "<script>alert(1)</script>", "constructor": 1, "__proto__": {"evil": 1}},
    {"<img src=x onerror=alert(1)>": "javascript:alert(1)", "constructor": 2, "__proto__": None},
]:
    print(json.dumps(row))
print("the last line")
`

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'output', limits: noLimits })
})
test.beforeEach(async ({ context }) => {
  await signIn(context, person)
})

test("a job's output is shown as text and is never executed", async ({ page }) => {
  const config = configText({ name: '<b>bold</b> {{7*7}}', tags: ['<i>tag</i>'] })
  const id = await submit(person, tricks, config, { wait: true })
  await page.goto(`/jobs/${id}`)
  await expect(page.getByRole('heading', { name: '<b>bold</b> {{7*7}}' })).toBeVisible()
  const output = outputOf(page)
  await page.getByRole('button', { name: 'Wrap long lines' }).click()
  await output.press('Home')
  await expect(output).toContainText("<script>document.title='owned'</script><img src=x onerror=alert(1)>")
  for (const text of ['a link of its own', 'another', 'clipboard', 'title', 'cleared?', 'red', 'strings']) {
    await expect(output).toContainText(text)
  }
  expect(await output.locator('script, img, iframe, svg image, [onerror]').count()).toBe(0)
  expect(await output.locator('a:not([href^="#L"])').count()).toBe(0)
  expect(await page.title()).toContain('<b>bold</b>')
  await output.press('End')
  await expect(output).toContainText('the last line')

  await page.getByRole('tab', { name: /Result/ }).click()
  const results = page.getByRole('region', { name: 'Results', exact: true })
  for (const view of ['Table', 'Tree']) {
    await results.getByRole('radio', { name: view }).click()
    await expect(results).toContainText('<script>alert(1)</script>')
  }
  expect(await results.locator('script, img, a, [onerror]').count()).toBe(0)
  await page.getByRole('tab', { name: 'Details' }).click()
  await expect(page.getByText('<i>tag</i>')).toBeVisible()
  expect(await page.evaluate(() => Object.hasOwn(Object.prototype, 'evil'))).toBe(false)
  // Wait for delayed effects.
  await page.waitForTimeout(500)
})

test('a link to a download saves the file and does not open it', async ({ page }) => {
  const id = await submit(person, 'print("<!doctype html><script>document.title=1</script>")', configText(), {
    wait: true,
  })
  await fileOf(person, id)
  for (const format of ['jsonl', 'text']) {
    await page.goto('/jobs')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.goto(`/api/results/${id}?format=${format}`).catch(() => null),
    ])
    expect(download.suggestedFilename()).toMatch(/\.(jsonl|txt)$/)
    await expect(page).toHaveURL(/\/jobs$/)
  }
})

test('200,000 lines can be searched and scrolled', async ({ page }) => {
  test.setTimeout(480_000)
  const patiently = expect.configure({ timeout: 90_000 })
  const count = 200_000
  const code = `for i in range(1, ${count} + 1):\n    print("line", i, "needle" if i == 123456 else "")`
  const id = await submit(person, code, configText({ cpu: 1 }), { wait: true })
  await page.goto(`/jobs/${id}`)
  await patiently(page.getByText('200,000 lines', { exact: true }).first()).toBeVisible()
  // The job has ended: no new lines are announced, and the page offers a jump to the end.
  await expect(page.getByRole('button', { name: /new lines?$/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Jump to end' }).click()
  await expect(outputOf(page).getByRole('link', { name: `Line ${count}`, exact: true })).toBeVisible()
  const output = outputOf(page)
  await output.focus()
  await page.keyboard.press('End')
  await expect(output.getByRole('link', { name: `Line ${count}`, exact: true })).toBeVisible()
  await page.keyboard.press('Home')
  await expect(output.getByRole('link', { name: 'Line 1', exact: true })).toBeVisible()
  for (let i = 0; i < 40; i++) {
    await page.mouse.move(640, 600)
    await page.mouse.wheel(0, 5000)
  }
  const search = page.getByLabel('Search the output')
  await search.fill('needle')
  await patiently(page.getByText('1 of 1', { exact: true })).toBeVisible()
  await expect(output).toContainText('line 123456 needle')
  await search.fill(':100000')
  await search.press('Enter')
  await expect(output.getByRole('link', { name: 'Line 100000', exact: true })).toBeVisible()
  await expect(page).toHaveURL(/#L100000$/)
  expect(await output.getByRole('link').count()).toBeLessThan(500)
})

test('a page follows an endless stream, stops following on scrolling, and resumes', async ({ page }) => {
  const code = 'import time\nfor i in range(1000000):\n    print("tick", i, flush=True)\n    time.sleep(0.01)'
  const id = await submit(person, code, configText(longRunning))
  await page.goto(`/jobs/${id}`)
  const output = outputOf(page)
  await expect(page.getByText('Following output')).toBeVisible()
  await expect(output).toContainText(/tick \d{3}/)
  await output.press('Home')
  await expect(page.getByText('Live, not following')).toBeVisible()
  await expect(output).toContainText('tick 0')
  await page.getByRole('button', { name: /new lines|Jump to end/ }).click()
  await expect(page.getByText('Following output')).toBeVisible()
  await person.client.jobs.cancel(id)
  await expectStatus(page, 'Cancelled')
  await expect(page.getByText('Complete', { exact: true })).toBeVisible()
})
