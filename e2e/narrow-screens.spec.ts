import { expect, type Locator, type Page } from '@playwright/test'
import { boxOf, expectNoSideScroll, test } from './browser-test'
import { dropFiles, outputOf } from './job-page'
import { expectAccessible, showAs } from './pages/usable'
import { signIn } from './sign-in'
import { cancelAll, createUser, noLimits, type TestUser } from './test-users'
import { configText, longRunning, printing, submit } from './uploads'

/**
 * Work with a finger on a phone: the output comes first, and the actions are within reach. `appearance.spec.ts` and
 * `long-texts.spec.ts` show that every page fits.
 */

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

const screens = [
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const
const [first] = screens

test.use({ viewport: first, colorScheme: first.colorScheme, hasTouch: true, isMobile: true })
test.beforeEach(({ context }) => signIn(context, person))

/** Checks the open page on each screen. */
async function onEachScreen(
  page: Page,
  check: (title: string, height: number) => Promise<void>,
): Promise<void> {
  for (const screen of screens) {
    await showAs(page, screen)
    await check(`${screen.width} × ${screen.height}, ${screen.colorScheme}`, screen.height)
  }
}

test('the page of a job shows its output, and its actions at the bottom', async ({ page }) => {
  const output = outputOf(page)
  const cancel = page.getByRole('button', { name: 'Cancel' })
  await page.goto(`/jobs/${running}`)
  await onEachScreen(page, async (screen, height) => {
    await expect(output.getByText('line 300', { exact: true }), screen).toBeInViewport({ ratio: 1 })
    expect(await page.evaluate(() => window.scrollY), screen).toBe(0)
    await expectWithinReach(cancel)
    await expectWithinReach(page.getByRole('button', { name: 'More', exact: true }))
    const [shown, bar] = [await boxOf(output), await boxOf(cancel)]
    // The bar covers no line.
    expect(shown.y + shown.height, screen).toBeLessThanOrEqual(bar.y)
    expect(bar.y, screen).toBeGreaterThan(height * 0.75)
    // Eight lines.
    expect(shown.height, screen).toBeGreaterThanOrEqual(160)
    expect(await smallControls(page), screen).toEqual([])
    await expectNoSideScroll(page, screen)
    await expectAccessible(page, `a job on a phone, ${screen}`)
  })
  // On the smallest screen.
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
  await onEachScreen(page, async (screen) => {
    const search = page.getByRole('combobox', { name: 'Search jobs' })
    await expect(search, screen).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('radio', { name: 'All', exact: true }), screen).toBeInViewport()
    await expectWithinReach(page.getByRole('link', { name: 'New job' }))
    expect(await smallControls(page), screen).toEqual([])
  })
  await first.tap()
  await page.getByRole('checkbox', { name: 'Select second' }).tap()
  const bar = page.getByRole('toolbar', { name: 'Selected jobs' })
  await onEachScreen(page, async (screen, height) => {
    await expect(bar.getByText('2 selected'), screen).toBeInViewport()
    // The list stays visible.
    expect((await boxOf(bar)).height, screen).toBeLessThanOrEqual(height * 0.2)
    await expectNoSideScroll(page, screen)
    await expectAccessible(page, `selected jobs on a phone, ${screen}`)
  })
  await bar.getByRole('button', { name: 'Compare' }).tap()
  await expect(page.getByRole('heading', { level: 1, name: /Compar/ })).toBeVisible()
  await onEachScreen(page, (screen) => expectNoSideScroll(page, screen))
})

test('the button that submits is always within reach', async ({ page }) => {
  await page.goto('/submit')
  const button = page.getByRole('button', { name: 'Submit job' })
  await onEachScreen(page, () => expectWithinReach(button))
  await dropFiles(page, [
    { name: 'solution.py', text: 'print(1)\n'.repeat(200) },
    { name: 'config.yaml', text: configText({ name: 'from a phone' }) },
  ])
  await onEachScreen(page, async (screen) => {
    await expect(page.getByText('Ready to submit'), screen).toBeInViewport()
    await expectWithinReach(button)
    // A toast crosses the edge of the button while it slides in.
    await expect.poll(() => smallControls(page), screen).toEqual([])
  })
  await button.tap()
  await expectWithinReach(page.getByRole('button', { name: 'Run again' }))
})
