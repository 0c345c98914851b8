import { expect } from '@playwright/test'
import { test } from './browser-test'
import { call } from './http-call'
import { expectFits } from './pages/usable'
import { signIn } from './sign-in'
import { createUser, noLimits, type TestUser } from './test-users'
import { configText, fileOf, submit } from './uploads'

/** Files that a job wrote to /results. The job controls their paths and content. */

const page1px =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const program = `
import base64, os
os.makedirs("/results/plots/deep")
open("/results/plots/loss.png", "wb").write(base64.b64decode("${page1px}"))
open("/results/notes.html", "w").write("<script>document.title = 'owned'</script>\\nsecond line\\n")
open("/results/" + "\\u202egnp.exe\\n\\x1b[31m" + "x" * 150, "w").write("odd")
open("/results/model.bin", "wb").write(bytes(range(256)) * 4000)`

let person: TestUser
let id: string
test.beforeAll(async () => {
  person = await createUser({ name: 'artifacts', limits: noLimits })
  id = await submit(person, program, configText({}), { wait: true })
})

test('the page lists and previews them', async ({ page, context }) => {
  await signIn(context, person)
  await page.goto(`/jobs/${id}?tab=files`)
  await expect(page.getByText('4 files')).toBeVisible()
  await page.getByRole('button', { name: 'notes.html', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Beginning of notes.html' })).toContainText('<script>')
  await page.getByRole('button', { name: 'plots/loss.png', exact: true }).click()
  const picture = page.getByRole('img', { name: 'plots/loss.png' })
  await expect
    .poll(() => picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth))
    .toBe(1)
  await page.getByRole('button', { name: 'model.bin', exact: true }).click()
  await expect(page.getByText('neither text nor an image')).toBeVisible()
  await expect(page.getByText('\\u{202e}gnp.exe\\u{a}\\u{1b}[31m')).toBeVisible()
  await expectFits(page, 'the open files of a job')
  expect(await page.title()).not.toContain('owned')
  const saved = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download plots/loss.png' }).click()
  expect((await saved).suggestedFilename()).toBe('loss.png')
})

test('a link works without signing in, and only unmodified', async () => {
  await fileOf(person, id)
  const { url } = await person.client.jobs.link(id, { file: 'result', expires_in: 600 })
  const path = url.slice(url.indexOf('/api/download'))
  const { status, headers, text } = await call(path, {})
  expect(status).toBe(200)
  expect(headers['content-disposition']).toMatch(/^attachment; filename="[\w.-]+\.jsonl"$/)
  expect(text).toContain('"type":"exit"')
  expect((await call(path.slice(0, -1), {})).status).toBe(403)
})
