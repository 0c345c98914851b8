import { conflict, invalidField } from '../../contract/errors'
import { formatZonedTime } from '../contract-zoned-time'

export interface DatedPhase {
  key: string
  startsAt: Date
  /** The first moment at which an entry is late. */
  endsAt: Date
}

/** Where an entry is sent to, and when its upload was complete. */
interface Arrival {
  slug: string
  timezone: string
  /** The phase that it names; null: none. */
  asked: string | null
  receivedAt: Date
}

/**
 * Decides the phase of an entry by the time at which its upload was complete. One that arrives exactly at the end is late. Pure.
 * @throws 422 for an unknown phase and if several are open, 409 if none is.
 */
export function choosePhase<Phase extends DatedPhase>(phases: readonly Phase[], arrival: Arrival): Phase {
  const { slug, asked, receivedAt } = arrival
  const keys = phases.map(({ key }) => key)
  const isOpen = ({ startsAt, endsAt }: Phase) => startsAt <= receivedAt && receivedAt < endsAt
  const tell = (at: Date) => formatZonedTime(at, arrival.timezone)
  if (asked !== null) {
    const phase = phases.find(({ key }) => key === asked)
    if (!phase) throw invalidField('phase', `"${slug}" has no phase "${asked}": use ${keys.join(' or ')}`)
    if (isOpen(phase)) return phase
    throw conflict(
      receivedAt < phase.startsAt
        ? `The phase "${asked}" of "${slug}" starts on ${tell(phase.startsAt)}. Submit then.`
        : `The phase "${asked}" of "${slug}" ended on ${tell(phase.endsAt)}, and the entry arrived on ${tell(receivedAt)}. It is too late.`,
    )
  }
  const open = phases.filter(isOpen)
  const [only, ...others] = open
  if (only && others.length === 0) return only
  if (only) {
    const names = open.map(({ key }) => `phase: ${key}`)
    throw invalidField(
      'phase',
      `several phases of "${slug}" are open: write ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
    )
  }
  const [next] = phases
    .filter(({ startsAt }) => startsAt > receivedAt)
    .toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime())
  if (next)
    throw conflict(
      `No phase of "${slug}" is open. The phase "${next.key}" starts on ${tell(next.startsAt)}. Submit then.`,
    )
  const ended = phases.map(({ endsAt }) => endsAt.getTime())
  throw conflict(
    `"${slug}" ended on ${tell(new Date(Math.max(...ended)))}, and the entry arrived on ${tell(receivedAt)}. It is too late.`,
  )
}
