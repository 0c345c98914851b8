import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { deliveriesQuery, redeliver } from '@/components/notifications/queries'
import type { Delivery } from '@/lib/notifications/contract'
import { type NotificationEvent, notificationEvents } from '@/lib/notifications/contract-events'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { formatCount } from '../ui/format-number'
import { IconButton } from '../ui/icon-button'
import { Link } from '../ui/link'
import { RelativeTime } from '../ui/relative-time'
import { type Column, DataTable } from '../ui/table'
import { toastOutcome } from '../ui/toaster'
import type { Tone } from '../ui/tones'

/** The latest messages, with their answers. Shows nothing before the first one. */
export function DeliveryLog() {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(deliveriesQuery())
  const items = data?.pages.flatMap((page) => page.items) ?? []
  if (items.length === 0) return null
  return (
    <div className="border-t">
      <h3 className="px-4 py-2.5 font-medium text-ink text-sm">Delivery log</h3>
      <div className="border-t">
        <DataTable caption="Delivery log" columns={columns} items={items} keyOf={({ id }) => id} />
      </div>
      {hasNextPage ? (
        <div className="grid place-items-center border-t p-2">
          <Button variant="ghost" size="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      ) : null}
    </div>
  )
}

const columns: readonly Column<Delivery>[] = [
  {
    label: 'Event',
    kind: 'title',
    cell: ({ event, job_id, target_name }) => (
      <span className="flex min-w-0 flex-col">
        <span className="font-medium text-ink">
          {event === 'test' ? 'Test' : notificationEvents[event as NotificationEvent]}
        </span>
        <span className="min-w-0 break-words text-subtle text-xs">
          {target_name ?? 'notify_url'}
          {job_id === null ? null : (
            <>
              {' · '}
              <Link href={`/jobs/${job_id}`}>job</Link>
            </>
          )}
        </span>
      </span>
    ),
  },
  {
    label: 'Answer',
    cell: (delivery) => (
      <span className="flex min-w-0 flex-col items-start gap-0.5 @max-2xl:items-end">
        <DeliveryState delivery={delivery} />
        <span className="wrap-anywhere min-w-0 text-muted text-xs">{describeAnswer(delivery)}</span>
      </span>
    ),
  },
  { label: 'Time', cell: ({ created_at }) => <RelativeTime at={created_at} className="text-muted" /> },
  { label: 'Actions', kind: 'actions', cell: (delivery) => <RedeliverButton delivery={delivery} /> },
]

const tones = {
  waiting: 'info',
  retrying: 'warning',
  delivered: 'success',
  failed: 'danger',
} as const satisfies Record<Delivery['state'], Tone>

function DeliveryState({
  delivery: { state, response_status, attempts, next_try_at },
}: {
  delivery: Delivery
}) {
  return (
    <span className="flex flex-wrap items-center gap-1.5 text-subtle text-xs @max-2xl:justify-end">
      <Badge tone={tones[state]}>
        {state}
        {response_status === null ? '' : ` · ${response_status}`}
      </Badge>
      {attempts > 1 ? formatCount(attempts, 'attempt') : null}
      {state === 'retrying' && next_try_at !== null ? (
        <span>
          next <RelativeTime at={next_try_at} />
        </span>
      ) : null}
    </span>
  )
}

/** The problem, and the first words of the answer. */
function describeAnswer({ problem, response }: Delivery): string {
  const shown = response !== null && response.length > 120 ? `${response.slice(0, 119)}…` : response
  return [problem, shown].filter(Boolean).join(' ')
}

function RedeliverButton({ delivery: { id, state, event } }: { delivery: Delivery }) {
  const { mutate, isPending } = useMutation(redeliver)
  if (state === 'waiting' || state === 'retrying') return null
  return (
    <IconButton
      icon={RotateCw}
      label={`Deliver ${event} again`}
      disabled={isPending}
      onClick={() => mutate(id, toastOutcome('The message is sent again'))}
    />
  )
}
