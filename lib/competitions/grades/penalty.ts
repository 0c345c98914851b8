import type { LateRule } from '../contract-config'
import { addDays, formatZonedTime } from '../contract-zoned-time'

/** When entries of a student are due. */
export interface Deadline {
  /** The end of the phase: the first moment at which an entry is late. */
  endsAt: Date
  /** The extension of the student, which replaces an earlier end; null: none. */
  extendedTo: Date | null
  /** Null: entries that are late are refused. */
  late: LateRule | null
  timezone: string
}

export interface Penalty {
  /** Days of the competition's time zone that have begun since the entry was due; 0: it is on time. */
  daysLate: number
  graceDaysUsed: number
  /** The part of the score that is taken, in percent. */
  percent: number
  /** False: the entry is later than the rule allows. */
  counts: boolean
  explanation: string
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** The end for a student, with an extension. */
export const endFor = ({ endsAt, extendedTo }: Pick<Deadline, 'endsAt' | 'extendedTo'>): Date =>
  extendedTo !== null && extendedTo > endsAt ? extendedTo : endsAt

/** The first moment at which an entry is a day late, in milliseconds. */
const dueMs = (deadline: Deadline) =>
  endFor(deadline).getTime() + (deadline.late?.grace_minutes ?? 0) * minuteMs

/** The first moment at which an entry is not accepted any more. Grace days are of use only with a rule for late entries. Pure. */
export function acceptedUntil(deadline: Deadline, graceDays: number): Date {
  const { late, timezone } = deadline
  if (late === null) return endFor(deadline)
  return new Date(addDays(dueMs(deadline), late.max_days + graceDays, timezone))
}

function daysLate(receivedMs: number, deadline: Deadline): number {
  const due = dueMs(deadline)
  // A day has at most 25 hours, so this is never too many.
  let days = Math.max(0, Math.floor((receivedMs - due) / dayMs) - 1)
  while (receivedMs >= addDays(due, days, deadline.timezone)) days += 1
  return days
}

/**
 * Says what an entry loses because it is late. Grace days are used as far as they go, before anything is taken. Pure: it is computed whenever
 * somebody reads it, so an extension or another rule counts at once.
 * @param graceDays those that the student has left
 */
export function penaltyOf(receivedAt: Date, deadline: Deadline, graceDays: number): Penalty {
  const days = daysLate(receivedAt.getTime(), deadline)
  if (days === 0)
    return {
      daysLate: 0,
      graceDaysUsed: 0,
      percent: 0,
      counts: true,
      explanation: explainOnTime(receivedAt, deadline),
    }
  const { percent_per_day: perDay = 0, max_days: maxDays = 0 } = deadline.late ?? {}
  const usable = deadline.late === null ? 0 : graceDays
  const graceDaysUsed = Math.min(usable, days)
  const charged = days - graceDaysUsed
  const late = `${count(days, 'day')} late (received ${formatZonedTime(receivedAt, deadline.timezone)})`
  if (charged > maxDays) {
    const grace = usable > 0 ? ` and ${count(usable, 'grace day')}` : ''
    const explanation = `${late}: more than ${count(maxDays, 'day')}${grace}, so it does not count.`
    return { daysLate: days, graceDaysUsed: 0, percent: 100, counts: false, explanation }
  }
  const percent = Number(Math.min(100, charged * perDay).toFixed(4))
  const used = graceDaysUsed > 0 ? `${count(graceDaysUsed, 'grace day')} used, ` : ''
  return {
    daysLate: days,
    graceDaysUsed,
    percent,
    counts: true,
    explanation: `${late}: ${used}${percent > 0 ? `${percent} % taken` : 'nothing taken'}.`,
  }
}

function explainOnTime(receivedAt: Date, deadline: Deadline): string {
  const { endsAt, late, timezone } = deadline
  if (receivedAt < endsAt) return 'On time.'
  const end = endFor(deadline)
  if (end <= endsAt) return `On time, within the ${count(late?.grace_minutes ?? 0, 'minute')} of grace.`
  return `On time: the end is extended to ${formatZonedTime(end, timezone)}.`
}

const count = (amount: number, word: string) => `${amount} ${word}${amount === 1 ? '' : 's'}`
