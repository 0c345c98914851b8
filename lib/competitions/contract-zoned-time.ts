/** Whether the platform knows a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const localTime = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?$/

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function offsetMs(instantMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instantMs)
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return shown - Math.floor(instantMs / 1000) * 1000
}

/** The instant at which the clocks of a zone show a time. A time that a clock change skips is read with the offset before the change. */
function instantOf(wallMs: number, timeZone: string): number {
  // The offset may change between the guess and the instant, so the offset of the day before decides skipped times.
  const before = offsetMs(wallMs - 24 * 3_600_000, timeZone)
  const first = wallMs - before
  if (offsetMs(first, timeZone) === before) return first
  const second = wallMs - offsetMs(first, timeZone)
  return offsetMs(second, timeZone) === wallMs - second ? second : first
}

/**
 * Reads a date, a local time (`2027-01-10T09:00`) or an instant (`2027-01-10T09:00Z`).
 * @returns the instant in milliseconds; null if the text is none of these.
 */
export function parseZonedTime(text: string, timeZone: string): number | null {
  const match = localTime.exec(text.trim())
  if (match === null) {
    const instant = /(?:Z|[+-]\d{2}:\d{2})$/i.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN
    return Number.isNaN(instant) ? null : instant
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  const wallMs = Date.UTC(year, month - 1, day, hour, minute, second)
  const shown = new Date(wallMs)
  const isReal =
    shown.getUTCMonth() === month - 1 && shown.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  return isReal ? instantOf(wallMs, timeZone) : null
}

/** The start of the day of an instant in a zone, and that of the next day: in milliseconds, 23 to 25 hours apart. */
export function dayAround(instantMs: number, timeZone: string): { startMs: number; endMs: number } {
  const wall = new Date(instantMs + offsetMs(instantMs, timeZone))
  const midnight = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate())
  return {
    startMs: instantOf(midnight, timeZone),
    endMs: instantOf(midnight + 24 * 3_600_000, timeZone),
  }
}

/** The instant at which the clocks of a zone show the same time some days later, which may be 23 to 25 hours for each day. */
export function addDays(instantMs: number, days: number, timeZone: string): number {
  // A time that a clock change repeats is not moved by no days.
  if (days === 0) return instantMs
  return instantOf(instantMs + offsetMs(instantMs, timeZone) + days * 24 * 3_600_000, timeZone)
}

/** A time on the clocks of a competition, to the second, with the name of its zone. */
export function formatZonedTime(at: Date, timeZone: string): string {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(
    at,
  )
  return `${text} (${timeZone})`
}
