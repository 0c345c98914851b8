import { type BrowserContext, test as base, expect, type Locator, type Page } from '@playwright/test'
import { networkChanged, withHydration } from './hydration'
import { theSystem } from './system/the-system'

/** Opens the browsers of a test and records unexpected errors in them. */
export interface Watch {
  /** Allows an error that the test causes on purpose, such as a 404 in the console. */
  tolerate(pattern: RegExp): void
  /** Opens another browser without a session. */
  openBrowser(): Promise<Page>
}

interface Fixtures {
  watch: Watch & { over(context: BrowserContext): void }
}

/**
 * A browser test. It fails on a console error (which includes violations of the content security policy), an
 * exception, or a dialog that the test did not expect.
 */
export const test = base.extend<Fixtures>({
  baseURL: ({ browserName: _ }, use) => use(theSystem().url),

  watch: async ({ browser }, use) => {
    const troubles: string[] = []
    const tolerated: RegExp[] = [new RegExp(networkChanged)]
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
        return withHydration(await context.newPage())
      },
    })
    for (const context of opened) await context.close()
    expect(troubles.filter((trouble) => !tolerated.some((pattern) => pattern.test(trouble)))).toEqual([])
  },

  context: async ({ context, watch }, use) => {
    watch.over(context)
    await use(context)
  },

  page: async ({ page }, use) => use(withHydration(page)),
})

/** Expects that the page is not wider than its window, after charts and lists have adapted to a new size. */
export async function expectNoSideScroll(page: Page): Promise<void> {
  const overhang = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(overhang, `${page.url()} scrolls horizontally`).toBeLessThanOrEqual(0)
}

/** The place of a visible element in the window, in CSS pixels. */
export async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error(`${element} is not visible`)
  return box
}
