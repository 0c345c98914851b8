'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { auditQuery } from '@/components/queries/queries'
import type { AuditEvent } from '@/lib/contract/access/access'
import { ListPanel } from '../shell/list-panel'
import { Person } from '../shell/person'
import { TextFilter } from '../shell/text-filter'
import { updateSearchParams } from '../shell/update-search-params'
import { Badge } from '../ui/badge'
import { EmptyState } from '../ui/empty-state'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { type Column, DataTable } from '../ui/table'
import { acceptsAction, acceptsActor, toAuditFilters } from './audit-filters'

/** The audit log page. */
export function AuditList() {
  const filters = toAuditFilters(useSearchParams())
  const query = useInfiniteQuery(auditQuery(filters))
  const filtered = filters.actor !== undefined || filters.action !== undefined
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who changed what, newest first. Nobody can edit or delete entries."
      />
      <ListPanel
        query={query}
        header={<AuditFilters events={query.data?.pages.flatMap(({ items }) => items) ?? []} />}
        placeholderRows={12}
        empty={
          <EmptyState icon={ScrollText} title={filtered ? 'No events match' : 'No events yet'}>
            {filtered
              ? 'Change the filters above.'
              : 'Invitations, tokens, changed limits and other changes appear here.'}
          </EmptyState>
        }
      >
        {(events) => (
          <DataTable caption="Audit log" columns={columns} items={events} keyOf={({ id }) => id} />
        )}
      </ListPanel>
    </>
  )
}

/** Filters the log by actor or action, with suggestions from the loaded events. */
function AuditFilters({ events }: { events: readonly AuditEvent[] }) {
  const params = useSearchParams()
  const set = (name: 'actor' | 'action', value: string) => {
    const next = new URLSearchParams(params)
    if (value) next.set(name, value)
    else next.delete(name)
    updateSearchParams(next, 'replace')
  }
  const seen = (values: readonly (string | null)[]) => [...new Set(values)].filter((value) => value !== null)
  return (
    <search className="flex flex-wrap gap-2 border-b px-4 py-2.5">
      <TextFilter
        label="Actor"
        value={params.get('actor') ?? ''}
        accepts={acceptsActor}
        onValue={(actor) => set('actor', actor)}
        suggestions={seen(events.map(({ actor }) => actor))}
      />
      <TextFilter
        label="Action"
        value={params.get('action') ?? ''}
        accepts={acceptsAction}
        onValue={(action) => set('action', action)}
        suggestions={seen(events.map(({ action }) => action))}
      />
    </search>
  )
}

const columns: readonly Column<AuditEvent>[] = [
  { label: 'Action', kind: 'title', className: 'font-medium text-ink', cell: ({ action }) => action },
  {
    label: 'Actor',
    cell: ({ actor, actor_name }) =>
      actor === null ? <Badge>gpuq</Badge> : <Person handle={actor} name={actor_name} />,
  },
  {
    label: 'Target',
    cell: ({ target, target_name }) => (
      <span className="min-w-0 break-all">
        {target === null ? '–' : <Person handle={target} name={target_name} />}
      </span>
    ),
  },
  {
    label: 'Details',
    cell: ({ detail }) => (
      <span className="min-w-0 break-all font-mono text-subtle text-xs">{describeDetail(detail)}</span>
    ),
  },
  {
    label: 'Time',
    cell: ({ at }) => <RelativeTime at={at} className="whitespace-nowrap text-muted" />,
  },
]

function describeDetail(detail: AuditEvent['detail']): string {
  const facts = Object.entries(detail).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
  return facts.join(' · ') || '–'
}
