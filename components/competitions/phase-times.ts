import type { Phase } from '@/lib/competitions/contract'
import { formatDuration } from '../ui/format-time'

type Times = Pick<Phase, 'starts_at' | 'ends_at'>

/** Where a phase is in its time. The page may be older than a start or an end. */
export function stateOf({ starts_at, ends_at }: Times, now: number): Phase['state'] {
  if (now < Date.parse(starts_at)) return 'upcoming'
  return now < Date.parse(ends_at) ? 'open' : 'ended'
}

/** The phase that people look for: the open one that ends first, else the next one, else the last one. */
export function currentPhase(phases: readonly Phase[], now: number): Phase | undefined {
  const inState = (state: Phase['state']) => phases.filter((phase) => stateOf(phase, now) === state)
  const first = (time: (phase: Phase) => string, found: readonly Phase[]) =>
    found.toSorted((a, b) => Date.parse(time(a)) - Date.parse(time(b)))
  return (
    first((phase) => phase.ends_at, inState('open'))[0] ??
    first((phase) => phase.starts_at, inState('upcoming'))[0] ??
    first((phase) => phase.ends_at, inState('ended')).at(-1)
  )
}

/** A time that counts down in whole seconds: "2 h 10 min", "7 s". */
export function formatCountdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000))
  return seconds < 10 ? `${seconds} s` : formatDuration(seconds * 1000)
}

/** Says when a phase starts or ends: "ends in 2 h 10 min". */
export function describeClock(phase: Times, now: number): string {
  const [starts, ends] = [Date.parse(phase.starts_at), Date.parse(phase.ends_at)]
  if (now < starts) return `starts in ${formatCountdown(starts - now)}`
  if (now < ends) return `ends in ${formatCountdown(ends - now)}`
  return `ended ${formatCountdown(now - ends)} ago`
}

/** A time as the clocks of a zone show it: "10 Jan 2027" and "09:00". */
function inZone(at: number, timeZone: string | undefined): { date: string; time: string } {
  const zone = timeZone === undefined ? {} : { timeZone }
  return {
    date: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', ...zone }).format(at),
    time: new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', ...zone }).format(at),
  }
}

/**
 * A time for a reader, and in another zone if its clocks differ: its time, with its date if that differs too.
 * @param reader the zone of the reader. Default: that of the browser.
 */
export function formatZoned(
  at: number,
  zone: string,
  reader?: string,
): { own: string; theirs: string | null } {
  const [own, theirs] = [inZone(at, reader), inZone(at, zone)]
  const isSameDate = own.date === theirs.date
  return {
    own: `${own.date}, ${own.time}`,
    theirs:
      isSameDate && own.time === theirs.time
        ? null
        : `${isSameDate ? '' : `${theirs.date}, `}${theirs.time} in ${zone}`,
  }
}
