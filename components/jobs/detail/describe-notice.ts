import type { JobNotice } from '@/lib/contract/jobs'
import { formatCount } from '../../ui/format-number'
import type { Tone } from '../../ui/tones'

interface NoticeText {
  tone: Tone
  badge: string
  text: string
  /** A label for `at`. */
  before: string
  at: string | null
}

/** The delivery state of the notification about a job's end. */
export function describeNotice({ state, attempts, problem, next_try_at, settled_at }: JobNotice): NoticeText {
  const tries = formatCount(attempts, 'attempt')
  switch (state) {
    case 'waiting':
      return {
        tone: 'neutral',
        badge: 'pending',
        text: 'Sent when the job ends.',
        before: '',
        at: null,
      }
    case 'trying':
      return problem === null
        ? { tone: 'info', badge: 'sending', text: '', before: '', at: null }
        : {
            tone: 'warning',
            badge: 'retrying',
            text: `${tries} failed: ${problem}`,
            before: 'Next attempt',
            at: next_try_at,
          }
    case 'told':
      return {
        tone: 'success',
        badge: 'sent',
        text: attempts > 1 ? `After ${tries}.` : '',
        before: '',
        at: settled_at,
      }
    case 'given_up':
      return {
        tone: 'danger',
        badge: 'failed',
        text: `After ${tries}: ${problem ?? 'it could not be delivered.'}`,
        before: '',
        at: settled_at,
      }
    default:
      return state satisfies never
  }
}
