import { useQuery } from '@tanstack/react-query'
import { Inbox, MoonStar } from 'lucide-react'
import { useState } from 'react'
import { queueQuery, queueStep } from '@/components/queries/cluster'
import type { Queue } from '@/lib/contract/cluster/cluster'
import { Loaded } from '../../shell/load-failure'
import { Button } from '../../ui/button'
import { ButtonLink } from '../../ui/button-link'
import { EmptyState } from '../../ui/empty-state'
import { formatCount, formatNumber } from '../../ui/format-number'
import { Panel, PanelHeader } from '../../ui/panel'
import { Segmented } from '../../ui/segmented'
import { SkeletonRows } from '../../ui/skeleton'
import { type QueuePart, QueueTable } from './queue-table'

/** The API's own limit. */
const maxRows = 1000

/** The waiting jobs in their expected order, and the running jobs. */
export function QueuePanel({ handle, admin }: { handle: string; admin: boolean }) {
  const [limit, setLimit] = useState(queueStep)
  const query = useQuery(queueQuery(limit))
  const [shown, setShown] = useState<QueuePart>('waiting')
  return (
    <Panel>
      <PanelHeader
        title="Queue"
        description={
          shown === 'waiting'
            ? `Waiting jobs in their expected order${query.data?.engine === 'slurm' ? ', as Slurm predicts it' : ''}.`
            : 'Running jobs with their nodes and GPUs.'
        }
        actions={
          <Segmented
            label="Jobs to show"
            value={shown}
            onValueChange={setShown}
            options={[
              { value: 'waiting', label: withCount('Waiting', query.data?.queued_total) },
              { value: 'running', label: withCount('Running', query.data?.running_total) },
            ]}
          />
        }
      />
      <Loaded query={query} placeholder={<SkeletonRows rows={3} />} failureClass="m-4">
        {(queue) => (
          <QueueBody
            queue={queue}
            shown={shown}
            handle={handle}
            admin={admin}
            onMore={limit < maxRows ? () => setLimit(limit + queueStep) : null}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function withCount(label: string, count: number | undefined): string {
  return count === undefined ? label : `${label} ${formatNumber(count)}`
}

interface QueueBodyProps {
  queue: Queue
  shown: QueuePart
  handle: string
  admin: boolean
  /** Null if the maximum is shown. */
  onMore: (() => void) | null
}

function QueueBody({ queue, shown, onMore, ...rights }: QueueBodyProps) {
  const jobs = shown === 'waiting' ? queue.queued : queue.running
  if (jobs.length === 0) return shown === 'waiting' ? <EmptyQueue /> : <NoRunningJobs />
  const rest = (shown === 'waiting' ? queue.queued_total : queue.running_total) - jobs.length
  return (
    <>
      <QueueTable shown={shown} jobs={jobs} {...rights} />
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

function EmptyQueue() {
  return (
    <EmptyState
      icon={Inbox}
      title="No waiting jobs"
      className="py-8"
      action={<ButtonLink href="/submit">Submit a job</ButtonLink>}
    >
      A new job starts at once if its resources are free.
    </EmptyState>
  )
}

function NoRunningJobs() {
  return (
    <EmptyState icon={MoonStar} title="No running jobs" className="py-8">
      Running jobs appear here with their nodes and GPUs.
    </EmptyState>
  )
}
