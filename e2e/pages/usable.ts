import { expect, type Page } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'
import { expectNoSideScroll } from '../browser-test'

/** Whether people can use a page as it is now: WCAG 2.2 AA as checked by axe, and no horizontal scrolling. */

const rules: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  resultTypes: ['violations'],
}

export interface Look {
  width: number
  height: number
  colorScheme: 'light' | 'dark'
}

/** Each theme and each layout once: colours and structure are independent. */
const looks: readonly Look[] = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
]
const narrowest = { width: 360, height: 740 }

/** Changes size and theme of the open page. */
export async function showAs(page: Page, { width, height, colorScheme }: Look): Promise<void> {
  await page.setViewportSize({ width, height })
  // A colour that still changes has too little contrast.
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await expect(page.locator('html')).toHaveClass(new RegExp(`\\b${colorScheme}\\b`))
}

async function lookOf(page: Page): Promise<Look> {
  const size = page.viewportSize()
  if (size === null) throw new Error('the page has no fixed size')
  const isDark = await page.evaluate(() => window.matchMedia('(prefers-color-scheme: dark)').matches)
  return { ...size, colorScheme: isDark ? 'dark' : 'light' }
}

/** Expects no violation in the current size and theme. */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  // Each document gets axe once. The usual wrapper for Playwright would load it three times for each check, once in a page of
  // its own that combines the results of frames, which no page of gpuq has.
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source)
  const found = await page.evaluate(async (options) => {
    const { violations } = await (Reflect.get(window, 'axe') as typeof axe).run(document, options)
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
  }, rules)
  expect.soft(found, `${state} is accessible`).toEqual([])
}

interface Shown {
  /** Height of the window. Default: that of a common screen. */
  height?: number
}

/** The whole page in view: a row that is scrolled halfway below the header would count as too small to press. */
export const wholePage = { height: 4000 }

/** Expects that the open page, without loading it again, fits each width. It has its size and theme of before afterwards. */
export async function expectFits(page: Page, state: string, shown: Shown = {}): Promise<void> {
  await inEachLook(page, state, shown, async () => {})
}

/** The same, and that the page is accessible in each theme and at each width. */
export async function expectUsable(page: Page, state: string, shown: Shown = {}): Promise<void> {
  await inEachLook(page, state, shown, (title) => expectAccessible(page, title))
}

async function inEachLook(
  page: Page,
  state: string,
  shown: Shown,
  check: (title: string) => Promise<void>,
): Promise<void> {
  const before = await lookOf(page)
  for (const look of looks) {
    const title = `${state} at ${look.width} px, ${look.colorScheme}`
    await showAs(page, { ...look, ...shown })
    await expectNoSideScroll(page, title)
    await check(title)
  }
  await page.setViewportSize({ ...narrowest, ...shown })
  await expectNoSideScroll(page, `${state} at ${narrowest.width} px`)
  await showAs(page, before)
}
