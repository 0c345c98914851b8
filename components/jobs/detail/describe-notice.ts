import type { JobNotice } from '@/lib/contract/jobs'
import type { Tone } from '../../ui/tones'

interface NoticeText {
  tone: Tone
  badge: string
  text: string
  /** What `at` is the time of. */
  before: string
  at: string | null
}

/** Whether the end of a job was told, in words. */
export function describeNotice({ state, attempts, problem, next_try_at, settled_at }: JobNotice): NoticeText {
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  switch (state) {
    case 'waiting':
      return {
        tone: 'neutral',
        badge: 'not yet',
        text: 'Sent when the job ends.',
        before: '',
        at: null,
      }
    case 'trying':
      return problem === null
        ? { tone: 'info', badge: 'being sent', text: '', before: '', at: null }
        : {
            tone: 'warning',
            badge: 'trying again',
            text: `${tries} failed: ${problem}`,
            before: 'The next one',
            at: next_try_at,
          }
    case 'told':
      return {
        tone: 'success',
        badge: 'told',
        text: attempts > 1 ? `After ${tries}.` : '',
        before: '',
        at: settled_at,
      }
    case 'given_up':
      return {
        tone: 'danger',
        badge: 'given up',
        text: `After ${tries}: ${problem ?? 'it could not be sent.'}`,
        before: '',
        at: settled_at,
      }
    default:
      return state satisfies never
  }
}
