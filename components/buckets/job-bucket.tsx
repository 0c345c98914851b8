import type { JobBucket as Bucket } from '@/lib/contract/job-bucket'
import { Badge } from '../ui/badge'
import { formatCount } from '../ui/format-number'
import { Panel } from '../ui/panel'
import { RelativeTime } from '../ui/relative-time'
import type { Tone } from '../ui/tones'

/** The copy of the job's results and log in the bucket of its project. */
export function JobBucket({ bucket }: { bucket: Bucket }) {
  const { tone, badge, text } = describeCopy(bucket)
  const at = bucket.stored_at ?? bucket.next_try_at
  return (
    <Panel className="p-4">
      <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        Bucket <Badge tone={tone}>{badge}</Badge>
        <span className="min-w-0 break-all font-mono text-xs">{bucket.url}</span>
        {text ? <span className="min-w-0 break-words">{text}</span> : null}
        {at && (bucket.stored_at !== null || bucket.problem !== null) ? (
          <span className="text-subtle">
            {bucket.stored_at === null ? 'Next attempt: ' : null}
            <RelativeTime at={at} />
          </span>
        ) : null}
      </p>
    </Panel>
  )
}

function describeCopy({ state, attempts, problem }: Bucket): { tone: Tone; badge: string; text?: string } {
  switch (state) {
    case 'waiting':
      return { tone: 'neutral', badge: 'pending', text: 'Receives the results and the log after the end.' }
    case 'storing':
      return problem === null
        ? { tone: 'info', badge: 'storing' }
        : { tone: 'warning', badge: 'retrying', text: `${formatCount(attempts, 'attempt')}: ${problem}` }
    case 'stored':
      return { tone: 'success', badge: 'stored' }
    case 'lost':
      return { tone: 'danger', badge: 'not stored', text: problem ?? '' }
    default:
      return state satisfies never
  }
}
