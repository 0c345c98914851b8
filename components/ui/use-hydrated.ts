import { useSyncExternalStore } from 'react'

const noSubscription = () => () => {}

/** False on the server and in the first rendering of the browser, which must be the same. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    noSubscription,
    () => true,
    () => false,
  )
}
