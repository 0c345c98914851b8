'use client'

import { useQuery } from '@tanstack/react-query'
import { Inbox, MoonStar } from 'lucide-react'
import { useState } from 'react'
import { queueQuery, queueStep } from '@/components/queries/cluster'
import type { Queue } from '@/lib/contract/cluster'
import { LoadFailure } from '../../shell/load-failure'
import { Button } from '../../ui/button'
import { ButtonLink } from '../../ui/button-link'
import { EmptyState } from '../../ui/empty-state'
import { Panel, PanelHeader } from '../../ui/panel'
import { Segmented } from '../../ui/segmented'
import { SkeletonRows } from '../../ui/skeleton'
import { formatCount } from '../format-amounts'
import { RunningTable } from './running-table'
import { WaitingTable } from './waiting-table'

type Shown = 'waiting' | 'running'

/** The API's own limit. */
const mostRows = 1000

/** The jobs that wait, in the order they should start, and those that run. */
export function QueuePanel({ handle, admin }: { handle: string; admin: boolean }) {
  const [limit, setLimit] = useState(queueStep)
  const { data, error, isPending, refetch } = useQuery(queueQuery(limit))
  const [shown, setShown] = useState<Shown>('waiting')
  return (
    <Panel>
      <PanelHeader
        title="Queue"
        description={
          shown === 'waiting'
            ? 'In the order in which the jobs should start.'
            : 'Where they run, and since when.'
        }
        actions={
          <Segmented
            label="Jobs to show"
            value={shown}
            onValueChange={setShown}
            options={[
              { value: 'waiting', label: withCount('Waiting', data?.queued_total) },
              { value: 'running', label: withCount('Running', data?.running_total) },
            ]}
          />
        }
      />
      {isPending ? (
        <SkeletonRows rows={3} />
      ) : data ? (
        <QueueBody
          queue={data}
          shown={shown}
          handle={handle}
          admin={admin}
          onMore={limit < mostRows ? () => setLimit(limit + queueStep) : null}
        />
      ) : (
        <LoadFailure className="m-4" error={error} onRetry={() => void refetch()} />
      )}
    </Panel>
  )
}

function withCount(label: string, count: number | undefined): string {
  return count === undefined ? label : `${label} ${count.toLocaleString('en')}`
}

interface QueueBodyProps {
  queue: Queue
  shown: Shown
  handle: string
  admin: boolean
  /** Null where no more are shown. */
  onMore: (() => void) | null
}

function QueueBody({ queue, shown, onMore, ...rights }: QueueBodyProps) {
  const jobs = shown === 'waiting' ? queue.queued : queue.running
  if (jobs.length === 0) return shown === 'waiting' ? <NobodyWaits /> : <NothingRuns />
  const rest = (shown === 'waiting' ? queue.queued_total : queue.running_total) - jobs.length
  return (
    <>
      {shown === 'waiting' ? (
        <WaitingTable jobs={jobs} {...rights} />
      ) : (
        <RunningTable jobs={jobs} {...rights} />
      )}
      {rest > 0 ? (
        <div className="flex flex-wrap items-center justify-center gap-3 border-t p-2 text-muted text-xs">
          {formatCount(rest, 'job')} more
          {onMore ? (
            <Button variant="ghost" size="sm" onClick={onMore}>
              Show more
            </Button>
          ) : null}
        </div>
      ) : null}
    </>
  )
}

function NobodyWaits() {
  return (
    <EmptyState
      icon={Inbox}
      title="No job waits"
      className="py-8"
      action={<ButtonLink href="/submit">Submit a job</ButtonLink>}
    >
      A job that fits starts at once.
    </EmptyState>
  )
}

function NothingRuns() {
  return (
    <EmptyState icon={MoonStar} title="No job runs" className="py-8">
      Jobs stand here from their start to their end, with their node and GPUs.
    </EmptyState>
  )
}
