import type { Entry, EntryCause, EntryState, QuotaLeft } from './contract-entries'

const whileOpen: Record<Exclude<EntryState, 'scored' | 'failed' | 'cancelled'>, string> = {
  held: 'It waits for a place among the entries of the competition.',
  running: 'Its program waits in the queue or runs.',
  scoring: 'Its program has ended, and its outputs are being scored.',
}

const whyFailed: Record<EntryCause, string> = {
  own_error: 'The program failed.',
  time: 'The program reached the time limit of the phase.',
  memory: 'The program needed more memory than the phase gives.',
  outputs: 'An output is missing, too large, or no plain file.',
  system: 'gpuq could not run it. It does not count. Submit it again.',
  scorer: 'The scoring program failed, and the hosts see why. It does not count.',
}

/** What a participant can do about a failure whose output is hidden. */
const rehearseFirst = 'Try the program with `rehearse: true`, whose output you can read.'

/**
 * What happened to an entry, or what it waits for, as a sentence.
 * @param canRehearse whether the phase has sample data
 * @param outputs the files below /results that the scoring program reads
 */
export function describeEntry(
  { state, cause, kind, log, disqualified }: Pick<Entry, 'state' | 'cause' | 'kind' | 'log' | 'disqualified'>,
  { canRehearse, outputs }: { canRehearse: boolean; outputs: readonly string[] },
): string {
  const isOwn = cause === 'own_error' || cause === 'outputs'
  if (disqualified !== null) return `It is disqualified: ${disqualified}`
  switch (state) {
    case 'held':
    case 'running':
    case 'scoring':
      return whileOpen[state]
    case 'scored':
      return kind === 'rehearsal' ? 'The rehearsal ended well. Rehearsals have no score.' : 'It is scored.'
    case 'cancelled':
      return 'It was cancelled.'
    case 'failed':
      return [
        whyFailed[cause ?? 'system'],
        ...(cause === 'outputs'
          ? [`The program must write ${outputs.map((path) => `/results/${path}`).join(', ')}.`]
          : []),
        ...(isOwn && log ? ['Read its log.'] : []),
        ...(isOwn && !log && canRehearse ? [rehearseFirst] : []),
      ].join(' ')
  }
}

/** The answer to a submission of an entry in one line. */
export function describeSubmitted(
  { message, scores }: Pick<Entry, 'message' | 'scores'>,
  rank: number | null,
  { per_day, total }: QuotaLeft,
): string {
  const values = Object.entries(scores).map(([name, value]) => `${name} ${value}`)
  const left = [
    ...(per_day === null ? [] : [`${per_day.left} of ${per_day.limit} entries left today`]),
    ...(total === null ? [] : [`${total.left} of ${total.limit} in all`]),
  ]
  const parts = [...values, ...(rank === null ? [] : [`rank ${rank}`]), ...left]
  return parts.length === 0 ? message : `${message} ${parts.join(', ')}.`
}
