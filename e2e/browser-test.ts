import {
  type BrowserContext,
  test as base,
  type ConsoleMessage,
  type Dialog,
  expect,
  type Locator,
  type Page,
  type WebError,
} from '@playwright/test'
import { networkChanged, withHydration } from './hydration'
import { signIn } from './sign-in'
import { theSystem } from './system/the-system'
import type { TestUser } from './test-users'

/** Opens the browsers of a test and records unexpected errors in them. */
export interface Watch {
  /** Allows an error that the test causes on purpose, such as a 404 in the console. */
  tolerate(pattern: RegExp): void
  /** Opens another browser without a session. */
  openBrowser(): Promise<Page>
}

interface Fixtures {
  /** `over` watches a context until the returned function is called. */
  watch: Watch & { over(context: BrowserContext): () => void }
  /**
   * Opens a page for a user, or for a visitor without a session. All such pages of a user share the session and the scripts that
   * the browser has loaded, which saves most of the time of a load. Each load begins with an empty local storage.
   */
  visit: (person?: TestUser) => Promise<Page>
}

interface WorkerFixtures {
  /** The contexts of `visit`, by user id. */
  visitors: Map<string, BrowserContext>
}

/** The submit page asks what would happen to a draft. A refusal is an answer, which the browser reports as an error. */
const refusedDryRun = /status of (?:403|409|422|429) .*\/api\/submit\?dry_run=true/

/**
 * A browser test. It fails on a console error (which includes violations of the content security policy), an
 * exception, or a dialog that the test did not expect.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  baseURL: ({ browserName: _ }, use) => use(theSystem().url),

  watch: async ({ browser }, use) => {
    const troubles: string[] = []
    const tolerated: RegExp[] = [new RegExp(networkChanged), refusedDryRun]
    const opened: BrowserContext[] = []
    const over = (context: BrowserContext) => {
      const onError = (error: WebError) => troubles.push(`exception: ${error.error().message}`)
      const onMessage = (message: ConsoleMessage) => {
        if (message.type() === 'error')
          troubles.push(`console: ${message.text()} (${message.location().url})`)
      }
      const onDialog = (dialog: Dialog) => {
        troubles.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      }
      context.on('weberror', onError).on('console', onMessage).on('dialog', onDialog)
      return () => {
        context.off('weberror', onError).off('console', onMessage).off('dialog', onDialog)
      }
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

  visitors: [
    async ({ browserName: _ }, use) => {
      const contexts = new Map<string, BrowserContext>()
      await use(contexts)
      for (const context of contexts.values()) await context.close()
    },
    { scope: 'worker' },
  ],

  visit: async ({ browser, visitors, watch }, use) => {
    const leave: (() => Promise<void>)[] = []
    await use(async (person) => {
      const name = person?.handle ?? ''
      const context = visitors.get(name) ?? (await browser.newContext())
      if (!visitors.has(name)) {
        await context.addInitScript(() => {
          if (window.location.protocol !== 'about:') window.localStorage.clear()
        })
        if (person) await signIn(context, person)
        visitors.set(name, context)
      }
      const forget = watch.over(context)
      const page = withHydration(await context.newPage())
      leave.push(async () => {
        await page.close()
        forget()
      })
      return page
    })
    for (const end of leave) await end()
  },
})

/** Expects that the page is not wider than its window, after charts and lists have adapted to a new size. */
export async function expectNoSideScroll(page: Page, state = page.url()): Promise<void> {
  const overhang = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(overhang, `${state} scrolls horizontally`).toBeLessThanOrEqual(0)
}

/** The place of a visible element in the window, in CSS pixels. */
export async function boxOf(element: Locator) {
  const box = await element.boundingBox()
  if (!box) throw new Error(`${element} is not visible`)
  return box
}
