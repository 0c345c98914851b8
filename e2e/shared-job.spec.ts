import { expect } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { expectAccessible, expectFits } from './pages/usable'
import { openBarrier, waitAtBarrier } from './program-barrier'
import { signIn } from './sign-in'
import { createUser, noLimits } from './test-users'
import { configText, longRunning, submit } from './uploads'

/** A read-only link to a job. */

const page1px =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const program = `
import base64, json
open("/results/plot.png", "wb").write(base64.b64decode("${page1px}"))
open("/results/notes.html", "w").write("<script>document.title = 'owned'</script>\\nsecond line\\n")
print("\\033[32mtraining\\033[0m <b>not bold</b>")
for epoch in range(3):
    print(json.dumps({"epoch": epoch, "loss": 1 / (epoch + 1)}))
`

test('a user shares a job by the keyboard, and people without an account see it until it is revoked', async ({
  page,
  context,
  watch,
}) => {
  watch.tolerate(/status of 404/)
  const person = await createUser({ name: 'sharer', limits: noLimits })
  const config = configText({ name: 'shared run', env: { API_KEY: 'hush-hush' } })
  const id = await submit(person, program, config, { wait: true })
  await signIn(context, person)
  await page.goto(`/jobs/${id}`)
  await page.getByRole('button', { name: 'More' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Share read-only…' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Share read-only' })
  await expect(dialog.getByText('None. A link that has expired is not listed.')).toBeVisible()
  await expect(dialog.getByRole('checkbox', { name: 'Files' })).toBeChecked()
  await dialog.getByRole('checkbox', { name: 'Source' }).focus()
  await page.keyboard.press('Space')
  await dialog.getByRole('button', { name: 'Create link' }).focus()
  await page.keyboard.press('Enter')
  const url = (await dialog.getByRole('region', { name: 'link', exact: true }).textContent()) ?? ''
  expect(url).toMatch(/\/shared\/[\w-]{43}$/)
  await expect(dialog.getByText(/^Shows status, output, metrics, files, and source until/)).toBeVisible()
  await expectAccessible(page, 'the dialog with a new link')

  const visitor = await watch.openBrowser()
  await visitor.goto(url)
  await expect(visitor.getByRole('heading', { level: 1, name: 'shared run' })).toBeVisible()
  await expect(visitor.getByText('Completed')).toBeVisible()
  await expect(visitor.getByRole('region', { name: 'Output of the job' })).toContainText(
    'training <b>not bold</b>',
  )
  await expect(visitor.getByRole('region', { name: 'Results', exact: true })).toBeVisible()
  await expect(visitor.getByRole('slider', { name: 'loss over epoch, 3 values' })).toBeVisible()
  const files = visitor.getByRole('region', { name: 'Files' })
  await files.getByRole('button', { name: 'notes.html', exact: true }).click()
  await expect(files.getByRole('region', { name: 'Beginning of notes.html' })).toContainText('<script>')
  expect(await visitor.title()).not.toContain('owned')
  const [saved] = await Promise.all([
    visitor.waitForEvent('download'),
    files.getByRole('link', { name: 'Download notes.html' }).click(),
  ])
  expect(saved.suggestedFilename()).toBe('notes.html')
  await expectFits(visitor, 'a shared job')
  await files.getByText('1 image').click()
  await files.getByRole('button', { name: /plot\.png/ }).click()
  const picture = visitor.getByRole('dialog', { name: 'plot.png' }).getByRole('img', { name: 'plot.png' })
  await expect
    .poll(() => picture.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth))
    .toBe(1)
  await expectAccessible(visitor, 'a picture of a shared job')
  await visitor.keyboard.press('Escape')
  await expect(visitor.getByText('API_KEY: "(hidden)"')).toBeVisible()
  expect(await visitor.content()).not.toContain('hush-hush')
  expect(await visitor.content()).not.toContain(id)
  await expect(visitor.locator('meta[name="robots"]')).toHaveAttribute('content', /noindex/)
  await expect(visitor.getByRole('button', { name: /Cancel|Run again/ })).toHaveCount(0)
  const [download] = await Promise.all([
    visitor.waitForEvent('download'),
    visitor.getByRole('link', { name: 'Download', exact: true }).click(),
  ])
  expect(download.suggestedFilename()).toBe('output.txt')

  await dialog.getByRole('button', { name: 'Revoke this link' }).focus()
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('None. A link that has expired is not listed.')).toBeVisible()
  const answer = await visitor.goto(url)
  expect(answer?.status()).toBe(404)
  await expect(visitor.getByText('This link is not valid')).toBeVisible()
  await expectAccessible(visitor, 'a link that is not valid')
})

test('the page of a link follows a running job to its end, and stops when the link is revoked', async ({
  watch,
}) => {
  // The curves are asked for once more after the link was revoked.
  watch.tolerate(/status of 404.*\/metrics/)
  const person = await createUser({ name: 'live-sharer', limits: noLimits })
  const config = configText({ name: 'followed run', ...longRunning })
  const follow = async (code: string) => {
    const id = await submit(person, code, config)
    const share = await person.client.shares.create(id, { expires_in_days: 1, files: true })
    const visitor = await watch.openBrowser()
    await visitor.setViewportSize({ width: 390, height: 844 })
    await visitor.emulateMedia({ colorScheme: 'dark' })
    await visitor.goto(new URL(share.url).pathname)
    await expect(visitor.getByRole('log', { name: 'Output of the job' })).toContainText('it starts')
    return { id, share, visitor }
  }
  const { id, visitor } = await follow(`
import json
print("it starts", flush=True)
print(json.dumps({"step": 1, "loss": 2}), flush=True)
${waitAtBarrier}
print("it ends")
print(json.dumps({"step": 2, "loss": 0.5}))
open("/results/model.bin", "wb").write(bytes(2048))
`)
  await expect(visitor.getByText('Running', { exact: true })).toBeVisible()
  await expect(visitor.getByRole('slider', { name: 'loss over step, 1 value' })).toBeVisible()
  await expect(visitor.getByText('No files yet')).toBeVisible()
  await expectNoSideScroll(visitor)
  await openBarrier(id)
  await expect(visitor.getByRole('log', { name: 'Output of the job' })).toContainText('it ends')
  await expect(visitor.getByText('Completed', { exact: true })).toBeVisible()
  await expect(visitor.getByRole('region', { name: 'Results', exact: true })).toBeVisible()
  await expect(visitor.getByRole('slider', { name: 'loss over step, 2 values' })).toBeVisible()
  await expect(visitor.getByRole('region', { name: 'Files' })).toContainText('model.bin')
  await expectFits(visitor, 'a shared job that was followed')
  expect(await visitor.content()).not.toContain(id)

  const other = await follow('import time\nprint("it starts", flush=True)\ntime.sleep(3600)')
  await person.client.shares.revoke(other.id, other.share.id)
  await expect(other.visitor.getByText('This link has expired or was revoked')).toBeVisible()
  await person.client.jobs.cancel(other.id)
})
