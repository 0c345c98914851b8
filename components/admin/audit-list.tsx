'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { auditQuery } from '@/components/queries/queries'
import type { AuditEvent } from '@/lib/contract/access/access'
import { auditActions, describeAction } from '@/lib/contract/access/audit-actions'
import { ListPanel } from '../shell/list-panel'
import { Person } from '../shell/person'
import { TextFilter } from '../shell/text-filter'
import { updateSearchParams } from '../shell/update-search-params'
import { Badge } from '../ui/badge'
import { EmptyState } from '../ui/empty-state'
import { formatNumber } from '../ui/format-number'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { Select } from '../ui/select'
import { type Column, DataTable } from '../ui/table'
import { acceptsActor, toAuditFilters } from './audit-filters'

/** The audit log page. */
export function AuditList() {
  const filters = toAuditFilters(useSearchParams())
  const query = useInfiniteQuery(auditQuery(filters))
  const filtered = filters.actor !== undefined || filters.action !== undefined
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Changes and the people who made them, newest first. Nobody can edit or delete entries."
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

/** An option of a select needs a value. */
const anyAction = 'any'
const knownActions = Object.entries(auditActions)
  .map(([value, label]) => ({ value, label: label as string }))
  .toSorted((one, other) => one.label.localeCompare(other.label))

/** The choices of the filter. The address may name an action of an earlier version. */
function actionOptions(chosen: string | undefined) {
  const unknown = chosen !== undefined && !Object.hasOwn(auditActions, chosen)
  return [
    { value: anyAction, label: 'All actions' },
    ...(unknown ? [{ value: chosen, label: describeAction(chosen) }] : []),
    ...knownActions,
  ]
}

/** Filters the log by actor, with suggestions from the loaded events, or by action. */
function AuditFilters({ events }: { events: readonly AuditEvent[] }) {
  const params = useSearchParams()
  const { action } = toAuditFilters(params)
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
      <Select
        aria-label="Action"
        className="w-64 max-sm:min-w-32 max-sm:flex-1"
        value={action ?? anyAction}
        onValueChange={(chosen) => set('action', chosen === anyAction ? '' : chosen)}
        options={actionOptions(action)}
      />
    </search>
  )
}

const columns: readonly Column<AuditEvent>[] = [
  {
    label: 'Action',
    kind: 'title',
    className: 'font-medium text-ink',
    cell: ({ action }) => <span title={action}>{describeAction(action)}</span>,
  },
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
      <span className="min-w-0 break-words text-muted text-xs">{describeDetail(detail)}</span>
    ),
  },
  {
    label: 'Time',
    cell: ({ at }) => <RelativeTime at={at} className="whitespace-nowrap text-muted" />,
  },
]

/** Facts about an event: "kind: team · members: ada, bob · max active jobs: 3". */
function describeDetail(detail: AuditEvent['detail']): string {
  return describeFacts(Object.entries(detail).filter(([, value]) => value !== null)) || '–'
}

function describeFacts(facts: [string, unknown][]): string {
  return facts
    .map(([name, value]) =>
      isRecord(value)
        ? describeFacts(Object.entries(value))
        : `${name.replaceAll('_', ' ')}: ${describeValue(value)}`,
    )
    .filter(Boolean)
    .join(' · ')
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function describeValue(value: unknown): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return formatNumber(value)
  if (Array.isArray(value)) return value.map(describeValue).join(', ') || 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
