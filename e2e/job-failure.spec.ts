import { AxeBuilder } from '@axe-core/playwright'
import { expect } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { editorOf, expectStatus, outputOf } from './job-page'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, submit } from './uploads'

/** What the page of a job says about a failure, and what stays visible. */

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

let person: TestUser
test.beforeAll(async () => {
  person = await createUser({ name: 'failures', limits: noLimits })
})
test.beforeEach(async ({ context }) => {
  await signIn(context, person)
})
test.use({ contextOptions: { reducedMotion: 'reduce' } })

const chained = `import json
def load(text):
    try:
        return json.loads(text)
    except ValueError as error:
        raise RuntimeError("the config is broken: " + "x" * 200) from error
load("{")
`

for (const { width, colorScheme } of [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const) {
  test(`a failure leads to its line of code at ${width} px, ${colorScheme}`, async ({ page }) => {
    const id = await submit(person, chained, configText(), { wait: true })
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    await page.goto(`/jobs/${id}`)
    await expectStatus(page, 'Failed')
    const card = page.getByRole('region', { name: 'Failure' })
    await expect(card).toContainText('RuntimeError: the config is broken')
    await expect(card).toContainText('raise RuntimeError("the config is broken: "')
    await expect(outputOf(page)).toBeVisible()
    await expectNoSideScroll(page)
    expect((await new AxeBuilder({ page }).withTags(wcag).analyze()).violations).toEqual([])

    await card.getByRole('link', { name: 'solution.py, line 6' }).click()
    await expect(page).toHaveURL(/\?tab=source&file=solution\.py&line=6$/)
    const source = editorOf(page, 'solution.py')
    await expect(source.locator('.cm-linked-line')).toContainText('raise RuntimeError')
    await expect(source.locator('.cm-linked-line')).toBeInViewport()
    expect((await new AxeBuilder({ page }).withTags(wcag).analyze()).violations).toEqual([])
    await page.goBack()
    await expect(outputOf(page)).toBeVisible()

    await card.getByRole('link', { name: 'Edit and run again' }).click()
    await expect(editorOf(page, 'solution.py')).toContainText('json.loads')
  })
}

test('a failure in a file of an uploaded directory leads to that file', async ({ page }) => {
  const form = new FormData()
  const config = configText({ entrypoint: 'src/train.py' })
  form.append('config_file', new Blob([config]), 'config.yaml')
  form.append('files', new Blob(['from model import f\nf()\n']), 'src/train.py')
  form.append('files', new Blob(['def f():\n    return {}["key"]\n']), 'src/model.py')
  const answer = await person.client.transport.raw('/api/submit', { method: 'post', body: form })
  const { job_id } = (await answer.json()) as { job_id: string }
  await page.goto(`/jobs/${job_id}`)
  const card = page.getByRole('region', { name: 'Failure' })
  await expect(card).toContainText("KeyError: 'key'")
  await card.getByRole('link', { name: 'src/model.py, line 2' }).click()
  await expect(editorOf(page, 'src/model.py').locator('.cm-linked-line')).toContainText('return {}["key"]')
})

test('a job without enough memory or time says which key to change', async ({ page }) => {
  const hungry = 'data = bytearray(2 * 2**30)\nprint(len(data))'
  const [memory, time] = await Promise.all([
    submit(person, hungry, configText(), { wait: true }),
    submit(person, 'import time\ntime.sleep(3600)', configText({ max_time: 1 }), { wait: true }),
  ])
  const card = page.getByRole('region', { name: 'Failure' })
  await page.goto(`/jobs/${memory}`)
  await expect(card).toContainText(/Set memory_gb to more than 0\.\d, or load less data at a time\./)
  await page.goto(`/jobs/${time}`)
  await expect(card).toContainText('Set max_time to more than 1,')
})

test('the tabs stay visible while a long tab scrolls, and the output fills the window', async ({ page }) => {
  const code = 'import time\nprint("under way", flush=True)\ntime.sleep(3600)'
  const id = await submit(person, code, configText({ ...longRunning, expected_time: 7200 }))
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 720 })
    await page.goto(`/jobs/${id}`)
    await expect(outputOf(page)).toContainText('under way')
    await expect(page.getByRole('progressbar', { name: /Run time, of the expected 2 h/ })).toBeVisible()
    const output = await outputOf(page).boundingBox()
    // Header, facts, tabs and toolbar need less than half of a wide window.
    expect(output?.height).toBeGreaterThan(width === 1280 ? 360 : 150)
    await page.getByRole('tab', { name: 'Details' }).click()
    await page.setViewportSize({ width, height: 400 })
    await page.getByText('Result file').scrollIntoViewIfNeeded()
    await page.mouse.wheel(0, 10_000)
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(100)
    await expect(page.getByRole('tab', { name: 'Details' })).toBeInViewport({ ratio: 1 })
  }
  await cancelAll(person)
})
