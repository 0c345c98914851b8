import type { JobNotice as Notice } from '@/lib/contract/jobs'
import { Badge } from '../../ui/badge'
import { formatCount } from '../../ui/format-number'
import { Panel } from '../../ui/panel'
import { RelativeTime } from '../../ui/relative-time'
import type { Tone } from '../../ui/tones'

interface NoticeText {
  tone: Tone
  badge: string
  text?: string
  atLabel?: string
  at?: string | null
}

/** The delivery state of the notification about the job's end. */
export function JobNotice({ notice }: { notice: Notice }) {
  const { tone, badge, text, atLabel, at } = describeNotice(notice)
  return (
    <Panel className="p-4">
      <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        End notification <Badge tone={tone}>{badge}</Badge>
        {text ? <span className="min-w-0 break-words">{text}</span> : null}
        {at ? (
          <span className="text-subtle">
            {atLabel ? `${atLabel}: ` : null}
            <RelativeTime at={at} />
          </span>
        ) : null}
      </p>
    </Panel>
  )
}

export function describeNotice({ state, attempts, problem, next_try_at, settled_at }: Notice): NoticeText {
  const tries = formatCount(attempts, 'attempt')
  switch (state) {
    case 'waiting':
      return { tone: 'neutral', badge: 'pending', text: 'Sent when the job ends.' }
    case 'retrying': {
      if (problem === null) return { tone: 'info', badge: 'sending' }
      const text = `${tries} failed: ${problem}`
      return { tone: 'warning', badge: 'retrying', text, atLabel: 'Next attempt', at: next_try_at }
    }
    case 'delivered':
      return { tone: 'success', badge: 'sent', text: attempts > 1 ? `After ${tries}.` : '', at: settled_at }
    case 'failed': {
      const text = `After ${tries}: ${problem ?? 'gpuq could not deliver it.'}`
      return { tone: 'danger', badge: 'failed', text, at: settled_at }
    }
    default:
      return state satisfies never
  }
}
