import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Locator, type Page } from '@playwright/test'
import { boxOf, expectNoSideScroll, test } from './browser-test'
import { dropFiles, outputOf } from './job-page'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, printing, submit } from './uploads'

/**
 * Work with a finger on a phone: the output comes first, and the actions are within reach. `appearance.spec.ts` and
 * `long-texts.spec.ts` show that every page fits.
 */

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** CSS pixels for a finger. */
const primarySize = 44
const leastSize = 24

/** Expects that a button is on the screen, large enough, and covered by nothing. */
async function expectWithinReach(button: Locator): Promise<void> {
  await expect(button).toBeInViewport({ ratio: 1 })
  expect((await boxOf(button)).height).toBeGreaterThanOrEqual(primarySize)
  const isOnTop = button.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })
  expect(await isOnTop, `${button} is covered`).toBe(true)
}

/** The names of the controls in the viewport that are smaller than a finger needs. Links in texts may be. */
const smallControls = (page: Page) =>
  page.evaluate((least) => {
    const selector =
      'button, input, select, [role="tab"], [role="radio"], [role="checkbox"], [role="menuitem"]'
    return [...document.querySelectorAll(selector)].flatMap((element) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      const [x, y] = [left + width / 2, top + height / 2]
      if (width <= 1 || height <= 1 || document.elementFromPoint(x, y)?.closest(selector) !== element)
        return []
      // A pseudo-element may make the target larger than the box.
      const half = least / 2 - 1
      const fits = [
        [x - half, y],
        [x + half, y],
        [x, y - half],
        [x, y + half],
      ].every(([a, b]) => {
        const hit = document.elementFromPoint(a ?? 0, b ?? 0)
        return (
          hit !== null && (element.contains(hit) || hit.closest('label')?.getAttribute('for') === element.id)
        )
      })
      return fits ? [] : [`${element.getAttribute('aria-label') ?? element.textContent} ${width}×${height}`]
    })
  }, leastSize)

let person: TestUser
let running: string
test.beforeAll(async () => {
  person = await createUser({ name: 'thumbs', limits: noLimits })
  const tags = ['w'.repeat(60), 'baseline']
  running = await submit(person, printing, configText({ name: 'on a phone', tags, ...longRunning }))
  for (const name of ['first', 'second']) {
    await submit(person, 'print(1)', configText({ name }), { wait: true })
  }
})
test.afterAll(() => cancelAll(person))

for (const { width, height, colorScheme } of [
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const) {
  test.describe(`${width}×${height}, ${colorScheme}`, () => {
    test.use({ viewport: { width, height }, colorScheme, hasTouch: true, isMobile: true })
    test.beforeEach(({ context }) => signIn(context, person))

    test('the page of a job shows its output, and its actions at the bottom', async ({ page }) => {
      await page.goto(`/jobs/${running}`)
      const output = outputOf(page)
      await expect(output.getByText('line 300', { exact: true })).toBeInViewport({ ratio: 1 })
      expect(await page.evaluate(() => window.scrollY)).toBe(0)
      const cancel = page.getByRole('button', { name: 'Cancel' })
      await expectWithinReach(cancel)
      await expectWithinReach(page.getByRole('button', { name: 'More', exact: true }))
      const [shown, bar] = [await boxOf(output), await boxOf(cancel)]
      // The bar covers no line.
      expect(shown.y + shown.height).toBeLessThanOrEqual(bar.y)
      expect(bar.y).toBeGreaterThan(height * 0.75)
      // Eight lines.
      expect(shown.height).toBeGreaterThanOrEqual(160)
      expect(await smallControls(page)).toEqual([])
      await expectNoSideScroll(page)
      expect((await new AxeBuilder({ page }).withTags(wcag).analyze()).violations).toEqual([])
      for (const name of ['Result', 'Metrics', 'Files', 'Source', 'Details', 'Output']) {
        const tab = page.getByRole('tab', { name: new RegExp(`^${name}`) })
        await tab.tap()
        await expect(tab).toHaveAttribute('aria-selected', 'true')
        await expect(tab).toBeInViewport({ ratio: 1 })
        await expectWithinReach(cancel)
        await expectNoSideScroll(page)
      }
      await page.goto(`/jobs/${running}?tab=details`)
      await expect(page.getByRole('tab', { name: 'Details' })).toBeInViewport({ ratio: 1 })
      // What stands at the end of the page is not below the bar.
      const last = page.getByRole('tabpanel').last()
      // The page grows while its details arrive.
      await expect(async () => {
        await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
        const panel = await boxOf(last)
        expect(panel.y + panel.height).toBeLessThanOrEqual((await boxOf(cancel)).y)
      }).toPass()
    })

    test('a finger searches, filters, selects and compares jobs', async ({ page }) => {
      await page.goto('/jobs')
      const first = page.getByRole('checkbox', { name: 'Select first' })
      await expect(first).toBeVisible()
      await expect(page.getByRole('combobox', { name: 'Search jobs' })).toBeInViewport({ ratio: 1 })
      await expect(page.getByRole('radio', { name: 'All', exact: true })).toBeInViewport()
      await expectWithinReach(page.getByRole('link', { name: 'New job' }))
      expect(await smallControls(page)).toEqual([])
      await first.tap()
      await page.getByRole('checkbox', { name: 'Select second' }).tap()
      const bar = page.getByRole('toolbar', { name: 'Selected jobs' })
      await expect(bar.getByText('2 selected')).toBeInViewport()
      // The list stays visible.
      expect((await boxOf(bar)).height).toBeLessThanOrEqual(height * 0.2)
      await expectNoSideScroll(page)
      expect((await new AxeBuilder({ page }).withTags(wcag).analyze()).violations).toEqual([])
      await bar.getByRole('button', { name: 'Compare' }).tap()
      await expect(page.getByRole('heading', { level: 1, name: /Compar/ })).toBeVisible()
      await expectNoSideScroll(page)
    })

    test('the button that submits is always within reach', async ({ page }) => {
      await page.goto('/submit')
      await expectWithinReach(page.getByRole('button', { name: 'Submit job' }))
      await dropFiles(page, [
        { name: 'solution.py', text: 'print(1)\n'.repeat(200) },
        { name: 'config.yaml', text: configText({ name: 'from a phone' }) },
      ])
      await expect(page.getByText('Ready to submit')).toBeInViewport()
      await expectWithinReach(page.getByRole('button', { name: 'Submit job' }))
      // A toast crosses the edge of the button while it slides in.
      await expect.poll(() => smallControls(page)).toEqual([])
      await page.getByRole('button', { name: 'Submit job' }).tap()
      await expectWithinReach(page.getByRole('button', { name: 'Run again' }))
    })
  })
}
