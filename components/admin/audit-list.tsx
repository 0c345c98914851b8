'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import type { AuditEvent } from '@/lib/access/schemas'
import { auditQuery } from '@/lib/http/queries'
import { ListPanel } from '../shell/list-panel'
import { Badge } from '../ui/badge'
import { EmptyState } from '../ui/empty-state'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { Cell, HeaderCell, Table, TableBody, TableHead, TableRow } from '../ui/table'

/** The page that says who did what. */
export function AuditList() {
  const query = useInfiniteQuery(auditQuery())
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who changed what, newest first. Nothing here can be changed or deleted."
      />
      <ListPanel
        query={query}
        placeholderRows={12}
        empty={
          <EmptyState icon={ScrollText} title="Nothing has happened yet">
            Invitations, tokens, changes of limits and the like will be listed here.
          </EmptyState>
        }
      >
        {(events) => <AuditTable events={events} />}
      </ListPanel>
    </>
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
  const facts = Object.entries(detail).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return facts.join(' · ') || '–'
}
