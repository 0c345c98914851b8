import type { Page, Request, Response } from '@playwright/test'

/**
 * Waits until the page is hydrated. The page is visible earlier, but ignores clicks and keys. On a busy
 * machine this takes long.
 */
export async function waitForHydration(page: Page): Promise<void> {
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
}

const isPage = (answer: Response | null) => /^text\/html\b/.test(answer?.headers()['content-type'] ?? '')

/** The browser's error of a request during which the machine got a network, such as that of a container. */
export const networkChanged = 'net::ERR_NETWORK_CHANGED'
/** That error, or the page with it, which interrupts the next navigation. */
const brokenOff = new RegExp(`${networkChanged}|chrome-error:`)
const mostLoads = 5

/**
 * Makes the page wait for hydration after each navigation and reload, unless `waitUntil` is given. A page whose requests
 * the browser broke off is loaded again.
 */
export function withHydration(page: Page): Page {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)]
  const hydrate = async (answer: Response | null, interrupted: Promise<void>) => {
    if (!isPage(answer)) return true
    return Promise.race([waitForHydration(page).then(() => true), interrupted.then(() => false)])
  }
  const load = async (navigate: () => Promise<Response | null>) => {
    for (let loads = 1; ; loads++) {
      const { interrupted, forget } = untilInterrupted(page)
      try {
        const answer = await navigate()
        if ((await hydrate(answer, interrupted)) || loads === mostLoads) return answer
      } catch (error) {
        if (!brokenOff.test(String(error)) || loads === mostLoads) throw error
      } finally {
        forget()
      }
    }
  }
  page.goto = (url, options) =>
    options?.waitUntil === undefined ? load(() => goto(url, options)) : goto(url, options)
  page.reload = (options) =>
    options?.waitUntil === undefined ? load(() => reload(options)) : reload(options)
  return page
}

/** Resolves when the browser breaks a request of the page off. */
function untilInterrupted(page: Page) {
  let forget = () => {}
  const interrupted = new Promise<void>((resolve) => {
    const onFailed = (request: Request) => {
      if (request.failure()?.errorText === networkChanged) resolve()
    }
    page.on('requestfailed', onFailed)
    forget = () => page.off('requestfailed', onFailed)
  })
  return { interrupted, forget }
}
