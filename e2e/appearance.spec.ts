import { join } from 'node:path'
import { test } from './browser-test'
import { expectUsable, type Look, showAs } from './pages/usable'
import { clearScene, type Scene, setScene, views } from './views'

/**
 * Every view is opened once, and then shown in light and dark, wide and narrow: WCAG 2.2 AA as checked by axe, no horizontal
 * scrolling. Without the variable CI it also takes the pictures that people look at. This file runs first, while lists are
 * short, because axe is slow with long lists.
 */

const pictures = join(import.meta.dirname, '..', 'test-results', 'views')
const shown: readonly Look[] = (['light', 'dark'] as const).flatMap((colorScheme) => [
  { width: 1280, height: 800, colorScheme },
  { width: 390, height: 844, colorScheme },
])

test.use({ contextOptions: { reducedMotion: 'reduce' } })

let scene: Scene
test.beforeAll(async () => {
  scene = await setScene()
})
test.afterAll(() => clearScene(scene))

for (const { name, as, open } of views) {
  test(`${name} is accessible`, async ({ visit, watch }) => {
    watch.tolerate(/status of 404/)
    const page = await visit(as && scene[as])
    await open(page, scene)
    await expectUsable(page, name)
    if (process.env.CI) return
    for (const look of shown) {
      await showAs(page, look)
      const path = join(pictures, `${name}-${look.width}-${look.colorScheme}.png`)
      await page.screenshot({ path, fullPage: true, animations: 'disabled' })
    }
  })
}
