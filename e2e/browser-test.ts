import { type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { liveOnArrival } from './live-page'
import { theSystem } from './system/the-system'

/** The browsers of a test, and what went wrong in them without anybody looking. */
export interface Watch {
  /** What a test brings about on purpose, such as a 404 that the console tells of. */
  tolerate(pattern: RegExp): void
  /** Another browser, in which nobody is signed in. */
  openBrowser(): Promise<Page>
}

interface Fixtures {
  watch: Watch & { over(context: BrowserContext): void }
}

/**
 * A test in a browser. It fails on whatever the page did not mean to happen: an error in the console, which is also where
 * a broken content security policy shows, an exception, a dialog.
 */
export const test = base.extend<Fixtures>({
  baseURL: ({ browserName: _ }, use) => use(theSystem().url),

  watch: async ({ browser }, use) => {
    const troubles: string[] = []
    const tolerated: RegExp[] = []
    const opened: BrowserContext[] = []
    const over = (context: BrowserContext) => {
      context.on('weberror', (error) => troubles.push(`exception: ${error.error().message}`))
      context.on('console', (message) => {
        if (message.type() === 'error')
          troubles.push(`console: ${message.text()} (${message.location().url})`)
      })
      context.on('dialog', (dialog) => {
        troubles.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
    }
    await use({
      over,
      tolerate: (pattern) => tolerated.push(pattern),
      async openBrowser() {
        const context = await browser.newContext()
        opened.push(context)
        over(context)
        return liveOnArrival(await context.newPage())
      },
    })
    for (const context of opened) await context.close()
    expect(troubles.filter((trouble) => !tolerated.some((pattern) => pattern.test(trouble)))).toEqual([])
  },

  context: async ({ context, watch }, use) => {
    watch.over(context)
    await use(context)
  },

  page: async ({ page }, use) => use(liveOnArrival(page)),
})

/** Holds the page to be no wider than its window, once charts and lists have followed a change of that. */
export async function expectNoSideScroll(page: Page): Promise<void> {
  const overhang = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(overhang, `${page.url()} scrolls sideways`).toBeLessThanOrEqual(0)
}
