import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { expectNoSideScroll, test } from './browser-test'
import { signIn } from './sign-in'
import { clearScene, type Scene, setScene, views } from './views'

/**
 * Every view in light and dark, wide and narrow: WCAG 2.2 AA as checked by axe, no horizontal scrolling. Without the
 * variable CI it also takes the pictures that people look at. This file runs first, while lists are short, because axe is slow with long lists.
 */

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const pictures = join(import.meta.dirname, '..', 'test-results', 'views')
const takePictures = !process.env.CI
// Check each theme and each layout once: colours and structure are independent.
const checked = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const
const onlyShown = [
  { width: 1280, colorScheme: 'dark' },
  { width: 390, colorScheme: 'light' },
] as const

type Look = (typeof checked)[number] | (typeof onlyShown)[number]

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
    const show = async ({ width, colorScheme }: Look) => {
      await page.setViewportSize({ width, height: width > 800 ? 800 : 844 })
      await page.emulateMedia({ colorScheme })
      await expect(page.locator('html')).toHaveClass(new RegExp(colorScheme))
      if (!takePictures) return
      const path = join(pictures, `${name}-${width}-${colorScheme}.png`)
      await page.screenshot({ path, fullPage: true, animations: 'disabled' })
    }
    for (const look of checked) {
      const title = `${look.width} ${look.colorScheme}`
      await test.step(title, async () => {
        await show(look)
        await expectNoSideScroll(page)
        expect.soft(await violations(page), `${name} ${title}`).toEqual([])
      })
    }
    await test.step('360', async () => {
      await page.setViewportSize({ width: 360, height: 740 })
      await expectNoSideScroll(page)
    })
    if (takePictures) for (const look of onlyShown) await show(look)
  })
}
