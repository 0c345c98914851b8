'use client'

import { useHydrated } from '../ui/use-hydrated'

/** A time in the reader's time zone, which the server does not know. */
export function SharedTime({ at }: { at: string }) {
  const hydrated = useHydrated()
  const text = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'medium',
    timeStyle: 'short',
    ...(hydrated ? {} : { timeZone: 'UTC' }),
  }).format(new Date(at))
  return <time dateTime={at}>{text}</time>
}
