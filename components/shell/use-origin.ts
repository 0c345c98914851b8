import { useHydrated } from '../ui/use-hydrated'

/** The site's origin in the reader's browser; a placeholder before hydration. */
export function useOrigin(): string {
  return useHydrated() ? window.location.origin : 'http://SERVER'
}
