import type { Page } from '@playwright/test'

/** The same limit as in other expectations. */
const timeoutMs = 60_000

/**
 * Acts and waits for a toast. A toast such as "Policy saved" disappears after four seconds. The
 * observer starts before the action and runs in the page, so that a slow test process cannot miss it.
 */
export async function expectToast(page: Page, news: string, act: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.evaluate(waitForToast, { news, timeoutMs }), act()])
}

/** Runs in the page. */
function waitForToast({ news, timeoutMs: longestMs }: { news: string; timeoutMs: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const observer = new MutationObserver(look)
    const alarm = setTimeout(() => end(() => reject(new Error(`the page did not show "${news}"`))), longestMs)
    function end(how: () => void) {
      observer.disconnect()
      clearTimeout(alarm)
      how()
    }
    function look() {
      const places = [...document.querySelectorAll('[aria-live]')]
      if (places.some(({ textContent }) => textContent?.includes(news))) end(resolve)
    }
    observer.observe(document.body, { childList: true, subtree: true, characterData: true })
    look()
  })
}
