import type { Page, Response } from '@playwright/test'

/**
 * Waits until the page answers to clicks and keys. It can be seen a moment before that, and what is clicked then is
 * lost: nobody's fault, and on a busy machine the moment is long.
 */
export async function untilLive(page: Page): Promise<void> {
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
}

const isPage = (answer: Response | null) => /^text\/html\b/.test(answer?.headers()['content-type'] ?? '')

/** The page, which is live whenever it was gone to or loaded again; `waitUntil` left out. */
export function liveOnArrival(page: Page): Page {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)]
  page.goto = async (url, options) => {
    const answer = await goto(url, options)
    if (options?.waitUntil === undefined && isPage(answer)) await untilLive(page)
    return answer
  }
  page.reload = async (options) => {
    const answer = await reload(options)
    if (options?.waitUntil === undefined && isPage(answer)) await untilLive(page)
    return answer
  }
  return page
}
