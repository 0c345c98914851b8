'use client'

import type { JobNotice as Notice } from '@/lib/contract/jobs'
import { Badge } from '../../ui/badge'
import { Panel } from '../../ui/panel'
import { RelativeTime } from '../../ui/relative-time'
import { describeNotice } from './describe-notice'

/** The delivery state of the notification about the job's end. */
export function JobNotice({ notice }: { notice: Notice }) {
  const { tone, badge, text, before, at } = describeNotice(notice)
  return (
    <Panel className="p-4">
      <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        End notification <Badge tone={tone}>{badge}</Badge>
        {text === '' ? null : <span className="min-w-0 break-words">{text}</span>}
        {at === null ? null : (
          <span className="text-subtle">
            {before === '' ? null : `${before}: `}
            <RelativeTime at={at} />
          </span>
        )}
      </p>
    </Panel>
  )
}
