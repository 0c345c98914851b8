import type { BestValue } from '@/lib/metrics/contract-best-value'
import type { Participant } from '@/lib/participants/contract'

/** What the table can be sorted by. The first direction of numbers and times is from the highest. */
export const participantKeys = ['user', 'jobs', 'gpu_hours', 'last_job', 'best'] as const
export type ParticipantKey = (typeof participantKeys)[number]

/** What the panel shows. It is in the address of the page. */
export interface ParticipantsView {
  metric: string | null
  best: BestValue
  sort: ParticipantKey
  ascending: boolean
}

/** Reads the query of the page's address. What it does not know is replaced by the default. */
export function readView(params: URLSearchParams): ParticipantsView {
  const sort = params.get('sort') ?? 'user'
  const key = participantKeys.find((known) => known === sort.replace(/^-/, '')) ?? 'user'
  return {
    metric: params.get('metric') || null,
    best: params.get('best') === 'highest' ? 'highest' : 'lowest',
    sort: key,
    ascending: !sort.startsWith('-'),
  }
}

/** The query of an address for changes of what is shown. */
export function writeView(
  params: URLSearchParams,
  { metric, best, sort, ascending }: ParticipantsView,
): URLSearchParams {
  const next = new URLSearchParams(params)
  const set = (name: string, value: string | null) =>
    value === null ? next.delete(name) : next.set(name, value)
  set('metric', metric)
  set('best', metric !== null && best === 'highest' ? best : null)
  set('sort', sort === 'user' && ascending ? null : `${ascending ? '' : '-'}${sort}`)
  return next
}

const values: Record<Exclude<ParticipantKey, 'user'>, (row: Participant) => number | null> = {
  jobs: ({ jobs }) => jobs,
  gpu_hours: ({ gpu_hours }) => gpu_hours,
  last_job: ({ last_job: last }) => (last ? Date.parse(last.created_at) : null),
  best: ({ best }) => best?.value ?? null,
}

/** Sorts members. Those without a value are last. */
export function sortParticipants(
  participants: readonly Participant[],
  { sort, ascending }: Pick<ParticipantsView, 'sort' | 'ascending'>,
): readonly Participant[] {
  const sign = ascending ? 1 : -1
  return participants.toSorted((a, b) => {
    const byName = a.user_id.localeCompare(b.user_id, 'en')
    if (sort === 'user') return sign * byName
    const [x, y] = [values[sort](a), values[sort](b)]
    if (x === null || y === null) return Number(x === null) - Number(y === null) || byName
    return sign * (x - y) || byName
  })
}
