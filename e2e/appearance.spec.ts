import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { signIn } from './sign-in'
import { clearScene, type Scene, setScene, views } from './views'

/**
 * Every view in light and dark, wide and narrow: WCAG 2.2 AA as checked by axe, no horizontal scrolling, a
 * screenshot. This file runs first, while lists are short, because axe is slow with long lists.
 */

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const pictures = join(import.meta.dirname, '..', 'test-results', 'views')
// Check each theme and each layout once: colours and structure are independent.
const looks = [
  { width: 1280, colorScheme: 'light', judged: true },
  { width: 1280, colorScheme: 'dark', judged: false },
  { width: 390, colorScheme: 'dark', judged: true },
  { width: 390, colorScheme: 'light', judged: false },
] as const

test.describe.configure({ mode: 'parallel' })
test.use({ contextOptions: { reducedMotion: 'reduce' } })

let scene: Scene
test.beforeAll(async () => {
  scene = await setScene()
})
test.afterAll(() => clearScene(scene))

async function violations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(wcag).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

for (const { name, as, open } of views) {
  test(`${name} is accessible`, async ({ page, context, watch }) => {
    watch.tolerate(/status of 404/)
    if (as) await signIn(context, scene[as])
    await page.setViewportSize({ width: 1280, height: 800 })
    await open(page, scene)
    for (const { width, colorScheme, judged } of looks) {
      await test.step(`${width} ${colorScheme}`, async () => {
        await page.setViewportSize({ width, height: width > 800 ? 800 : 844 })
        await page.emulateMedia({ colorScheme })
        await expect(page.locator('html')).toHaveClass(new RegExp(colorScheme))
        await page.screenshot({
          path: join(pictures, `${name}-${width}-${colorScheme}.png`),
          fullPage: true,
          animations: 'disabled',
        })
        await expectNoSideScroll(page)
        if (judged) expect.soft(await violations(page), `${name} ${width} ${colorScheme}`).toEqual([])
      })
    }
  })
}
