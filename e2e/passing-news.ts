import type { Page } from '@playwright/test'

/** As long as everything else is waited for. */
const longestMs = 60_000

/**
 * Acts, and waits until the page has said so. News such as "Policy saved" is gone again after four seconds: it is
 * looked out for before the act and from inside the page, whose time passes as the news' does, however busy this process is.
 */
export async function expectNews(page: Page, news: string, act: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.evaluate(lookOut, { news, longestMs }), act()])
}

/** Runs in the page. */
function lookOut({ news, longestMs }: { news: string; longestMs: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const observer = new MutationObserver(look)
    const alarm = setTimeout(() => end(() => reject(new Error(`the page did not say "${news}"`))), longestMs)
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
