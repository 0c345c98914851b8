import type { StartRange } from '../jobs'

/** A shorter range is shown as one time. */
const shortestMs = 60_000

/**
 * Formats a range in the local time zone: "between 14:10 and 15:00", with the day of the week if it is not today's, and
 * the date if it is a week away. Null if it is shorter than a minute.
 */
export function formatStartRange(
  { earliest, latest }: StartRange,
  now: number,
  timeZone?: string,
): string | null {
  const [from, to] = [Date.parse(earliest), Date.parse(latest)]
  if (to - from < shortestMs) return null
  return `between ${formatTime(from, now, now, timeZone)} and ${formatTime(to, now, from, timeZone)}`
}

/**
 * Formats a time in the local time zone: "14:10", with the day of the week if it is not that of the time `before`, and the date if
 * it is a week away.
 */
export function formatTime(at: number, now: number, before = now, timeZone?: string): string {
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone })
  const day = dayOf(at, now, before, timeZone)
  return day === null ? clock.format(at) : `${day} ${clock.format(at)}`
}

/** Null if `at` is on the same day as the time before it. */
function dayOf(at: number, now: number, before: number, timeZone?: string): string | null {
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'short', timeZone })
  if (date.format(at) === date.format(before)) return null
  const weekMs = 6 * 24 * 3_600_000
  const format: Intl.DateTimeFormatOptions =
    at - now < weekMs ? { weekday: 'short', timeZone } : { day: 'numeric', month: 'short', timeZone }
  return new Intl.DateTimeFormat('en-GB', format).format(at)
}
