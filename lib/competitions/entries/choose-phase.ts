import { conflict, invalidField } from '../../contract/errors'
import { formatZonedTime } from '../contract-zoned-time'

export interface DatedPhase {
  key: string
  startsAt: Date
  /** The first moment at which an entry is late. */
  endsAt: Date
  /** The end for the team, which may have an extension. */
  dueAt: Date
  /** The first moment at which an entry of the team is refused. */
  acceptedUntil: Date
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
 * Decides the phase of an entry by the time at which its upload was complete. One that arrives exactly at the end is late. An entry that
 * names no phase goes to an open one rather than to one that takes late entries. Pure.
 * @throws 422 for an unknown phase and if several are open, 409 if none is.
 */
export function choosePhase<Phase extends DatedPhase>(phases: readonly Phase[], arrival: Arrival): Phase {
  const { slug, asked, receivedAt } = arrival
  const keys = phases.map(({ key }) => key)
  const isOpen = ({ startsAt, dueAt }: Phase) => startsAt <= receivedAt && receivedAt < dueAt
  const isAccepted = ({ startsAt, acceptedUntil }: Phase) =>
    startsAt <= receivedAt && receivedAt < acceptedUntil
  const tell = (at: Date) => formatZonedTime(at, arrival.timezone)
  const tellEnd = ({ endsAt, acceptedUntil }: Phase) =>
    acceptedUntil > endsAt
      ? `${tell(endsAt)} and took late entries until ${tell(acceptedUntil)}`
      : tell(endsAt)
  if (asked !== null) {
    const phase = phases.find(({ key }) => key === asked)
    if (!phase) throw invalidField('phase', `"${slug}" has no phase "${asked}": use ${keys.join(' or ')}`)
    if (isAccepted(phase)) return phase
    throw conflict(
      receivedAt < phase.startsAt
        ? `The phase "${asked}" of "${slug}" starts on ${tell(phase.startsAt)}. Submit then.`
        : `The phase "${asked}" of "${slug}" ended on ${tellEnd(phase)}, and the entry arrived on ${tell(receivedAt)}. It is too late.`,
    )
  }
  const inTime = phases.filter(isOpen)
  const open = inTime.length > 0 ? inTime : phases.filter(isAccepted)
  const [only, ...others] = open
  if (only && others.length === 0) return only
  if (only) {
    const names = open.map(({ key }) => `phase: ${key}`)
    throw invalidField(
      'phase',
      `several phases of "${slug}" ${inTime.length > 0 ? 'are open' : 'take late entries'}: write ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
    )
  }
  const [next] = phases
    .filter(({ startsAt }) => startsAt > receivedAt)
    .toSorted((a, b) => a.startsAt.getTime() - b.startsAt.getTime())
  if (next)
    throw conflict(
      `No phase of "${slug}" is open. The phase "${next.key}" starts on ${tell(next.startsAt)}. Submit then.`,
    )
  const [last] = phases.toSorted((a, b) => b.acceptedUntil.getTime() - a.acceptedUntil.getTime())
  throw conflict(
    `"${slug}" ended${last ? ` on ${tellEnd(last)}` : ''}, and the entry arrived on ${tell(receivedAt)}. It is too late.`,
  )
}
