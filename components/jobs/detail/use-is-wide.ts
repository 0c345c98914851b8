import { useSyncExternalStore } from 'react'

/** The width from which the page of a job has a side column. */
const wideQuery = '(min-width: 80rem)'

/** Whether the window is wide enough for the side column, so that a narrow one loads nothing for it. */
export function useIsWide(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = window.matchMedia(wideQuery)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    () => window.matchMedia(wideQuery).matches,
    () => false,
  )
}
