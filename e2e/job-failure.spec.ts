import { expect } from '@playwright/test'
import { test } from './browser-test'
import { editorOf, expectStatus, outputOf } from './job-page'
import { expectFits, expectUsable } from './pages/usable'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, submit } from './uploads'

/** What the page of a job says about a failure, and what stays visible. */

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

test('a failure leads to its line of code', async ({ page }) => {
  const id = await submit(person, chained, configText(), { wait: true })
  await page.goto(`/jobs/${id}`)
  await expectStatus(page, 'Failed')
  const card = page.getByRole('region', { name: 'Failure' })
  await expect(card).toContainText('RuntimeError: the config is broken')
  await expect(card).toContainText('return json.loads(text)')
  await expect(outputOf(page)).toBeVisible()
  await expectFits(page, 'a failure')

  await card.getByRole('link', { name: 'solution.py, line 4' }).click()
  await expect(page).toHaveURL(/\?tab=source&file=solution\.py&line=4$/)
  const source = editorOf(page, 'solution.py')
  await expect(source.locator('.cm-linked-line')).toContainText('return json.loads(text)')
  await expect(source.locator('.cm-linked-line')).toBeInViewport()
  await expectUsable(page, 'a line of the source')
  await page.goBack()
  await expect(outputOf(page)).toBeVisible()

  await card.getByRole('link', { name: 'Edit and run again' }).click()
  await expect(editorOf(page, 'solution.py')).toContainText('json.loads')
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
