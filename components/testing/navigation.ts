import { useSyncExternalStore } from 'react'
import { vi } from 'vitest'

/*
 * A stand-in for `next/navigation`: the hooks read the address of the test's window, as Next.js does in a browser.
 * Use: `vi.mock('next/navigation', () => import('../testing/navigation'))`.
 */

const changed = 'test:address-changed'
for (const name of ['pushState', 'replaceState'] as const) {
  const original = window.history[name].bind(window.history)
  window.history[name] = (...given: Parameters<History['pushState']>) => {
    original(...given)
    window.dispatchEvent(new Event(changed))
  }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener(changed, listener)
  return () => window.removeEventListener(changed, listener)
}

export function useSearchParams(): URLSearchParams {
  return new URLSearchParams(useSyncExternalStore(subscribe, () => window.location.search))
}

export function usePathname(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname)
}

export const router = { push: vi.fn(), replace: vi.fn() }

export function useRouter() {
  return router
}
