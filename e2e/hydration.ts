import type { Page, Response } from '@playwright/test'

/**
 * Waits until the page is hydrated. The page is visible earlier, but ignores clicks and keys. On a busy
 * machine this takes long.
 */
export async function waitForHydration(page: Page): Promise<void> {
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
}

const isPage = (answer: Response | null) => /^text\/html\b/.test(answer?.headers()['content-type'] ?? '')

/** Makes the page wait for hydration after each navigation and reload, unless `waitUntil` is given. */
export function withHydration(page: Page): Page {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)]
  page.goto = async (url, options) => {
    const answer = await goto(url, options)
    if (options?.waitUntil === undefined && isPage(answer)) await waitForHydration(page)
    return answer
  }
  page.reload = async (options) => {
    const answer = await reload(options)
    if (options?.waitUntil === undefined && isPage(answer)) await waitForHydration(page)
    return answer
  }
  return page
}
