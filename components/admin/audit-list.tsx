'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { auditQuery } from '@/components/queries/queries'
import type { AuditEvent } from '@/lib/contract/access'
import { changeSearch } from '../shell/change-search'
import { ListPanel } from '../shell/list-panel'
import { TextFilter } from '../shell/text-filter'
import { Badge } from '../ui/badge'
import { EmptyState } from '../ui/empty-state'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { Cell, HeaderCell, Table, TableBody, TableHead, TableRow } from '../ui/table'
import { acceptsAction, acceptsActor, toAuditFilters } from './audit-filters'

/** The page that says who did what. */
export function AuditList() {
  const filters = toAuditFilters(useSearchParams())
  const query = useInfiniteQuery(auditQuery(filters))
  const narrowed = filters.actor !== undefined || filters.action !== undefined
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who changed what, newest first. Nothing here can be changed or deleted."
      />
      <ListPanel
        query={query}
        header={<AuditFilters events={query.data?.pages.flatMap(({ items }) => items) ?? []} />}
        placeholderRows={12}
        empty={
          <EmptyState icon={ScrollText} title={narrowed ? 'Nothing matches' : 'Nothing has happened yet'}>
            {narrowed
              ? 'Change the filters above.'
              : 'Invitations, tokens, changes of limits and the like will be listed here.'}
          </EmptyState>
        }
      >
        {(events) => <AuditTable events={events} />}
      </ListPanel>
    </>
  )
}

/** Narrows the log to one person or one kind of event; what has been seen of either is suggested. */
function AuditFilters({ events }: { events: readonly AuditEvent[] }) {
  const params = useSearchParams()
  const set = (name: 'actor' | 'action', value: string) => {
    const next = new URLSearchParams(params)
    if (value) next.set(name, value)
    else next.delete(name)
    changeSearch(next, 'replace')
  }
  const seen = (values: readonly (string | null)[]) => [...new Set(values)].filter((value) => value !== null)
  return (
    <search className="flex flex-wrap gap-2 border-b px-4 py-2.5">
      <TextFilter
        label="Who"
        value={params.get('actor') ?? ''}
        accepts={acceptsActor}
        onValue={(actor) => set('actor', actor)}
        suggestions={seen(events.map(({ actor }) => actor))}
      />
      <TextFilter
        label="What"
        value={params.get('action') ?? ''}
        accepts={acceptsAction}
        onValue={(action) => set('action', action)}
        suggestions={seen(events.map(({ action }) => action))}
      />
    </search>
  )
}

function AuditTable({ events }: { events: readonly AuditEvent[] }) {
  return (
    <Table caption="Audit log">
      <TableHead>
        <HeaderCell>What</HeaderCell>
        <HeaderCell>Who</HeaderCell>
        <HeaderCell>To what</HeaderCell>
        <HeaderCell>Detail</HeaderCell>
        <HeaderCell>When</HeaderCell>
      </TableHead>
      <TableBody>
        {events.map((event) => (
          <TableRow key={event.id}>
            <Cell className="font-medium text-ink">{event.action}</Cell>
            <Cell label="Who">{event.actor ?? <Badge>gpuq</Badge>}</Cell>
            <Cell label="To what">
              <span className="min-w-0 break-all">{event.target ?? '–'}</span>
            </Cell>
            <Cell label="Detail">
              <span className="min-w-0 break-all font-mono text-subtle text-xs">
                {describeDetail(event.detail)}
              </span>
            </Cell>
            <Cell label="When">
              <RelativeTime at={event.at} className="whitespace-nowrap text-muted" />
            </Cell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  )
}

function describeDetail(detail: AuditEvent['detail']): string {
  const facts = Object.entries(detail).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )
  return facts.join(' · ') || '–'
}
