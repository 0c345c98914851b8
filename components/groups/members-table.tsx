import { Download, FileArchive } from 'lucide-react'
import { memo, useMemo, useState } from 'react'
import type { GroupDetail, GroupMember } from '@/lib/groups/contract'
import { membersToCsv } from '@/lib/groups/contract-csv'
import { formatMetric } from '../jobs/list/job-cell'
import { RowsInView } from '../jobs/result/rows-in-view'
import { api } from '../queries/queries'
import { Badge } from '../ui/badge'
import { Button, buttonStyles } from '../ui/button'
import { cn } from '../ui/class-names'
import { Duration } from '../ui/duration'
import { formatCount, formatNumber } from '../ui/format-number'
import { Link } from '../ui/link'
import { Panel, PanelHeader } from '../ui/panel'
import { saveBlob } from '../ui/save-blob'
import { ScrollRegion } from '../ui/scroll-region'
import { Select } from '../ui/select'
import { SortHeader } from '../ui/sort-header'
import { arrangeMembers, columnsOf, type MemberColumn, type MemberOrder } from './member-columns'
import { memberStatuses, StatusOfMember } from './member-status'

const rowHeight = 32

interface MembersTableProps {
  group: GroupDetail
  /** Those that are loaded. */
  members: readonly GroupMember[]
}

/** The members with their parameters and metrics: sorted, filtered and downloaded in the browser. */
export function MembersTable({ group, members }: MembersTableProps) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const [status, setStatus] = useState<GroupMember['status'] | 'all'>('all')
  const [order, setOrder] = useState<MemberOrder | null>(null)
  const columns = useMemo(() => columnsOf(group, members), [group, members])
  const rows = useMemo(
    () => arrangeMembers(members, columns, { status, order }),
    [members, columns, status, order],
  )
  const save = () => {
    const csv = membersToCsv(members, group.parameters)
    saveBlob(`gpuq-group-${group.group_id.slice(-8)}.csv`, new Blob([csv], { type: 'text/csv' }))
  }
  const best = group.best?.index
  return (
    <Panel>
      <PanelHeader
        title="Members"
        description={
          rows.length === group.members
            ? formatCount(rows.length, 'member')
            : `${formatNumber(rows.length)} of ${formatCount(group.members, 'member')}`
        }
        actions={
          <>
            <Select
              aria-label="Members with the status"
              className="w-36"
              value={status}
              onValueChange={setStatus}
              options={[
                { value: 'all', label: 'All statuses' },
                ...memberStatuses.map(({ status: value, label }) => ({ value, label })),
              ]}
            />
            <Button icon={Download} disabled={members.length < group.members} onClick={save}>
              CSV
            </Button>
            <a
              href={api.groups.filesUrl(group.group_id)}
              download
              title="The result files and artifacts of all members, as one tar file"
              className={buttonStyles()}
            >
              <FileArchive aria-hidden />
              Download all
            </a>
          </>
        }
      />
      <ScrollRegion
        ref={setScroller}
        aria-label="Members of the group"
        className="max-h-[36rem] overflow-auto focus-visible:-outline-offset-2"
      >
        <table
          aria-rowcount={rows.length + 1}
          className="min-w-full border-separate border-spacing-0 text-left text-sm"
        >
          <caption className="sr-only">Members</caption>
          <thead className="sticky top-0 z-1 bg-sunken">
            <tr aria-rowindex={1}>
              {columns.map(({ id, label, numeric }) => (
                <SortHeader
                  key={id}
                  label={label}
                  end={numeric}
                  ascending={order?.column === id ? order.ascending : null}
                  onSort={(ascending) => setOrder({ column: id, ascending })}
                />
              ))}
            </tr>
          </thead>
          <RowsInView scroller={scroller} count={rows.length} rowHeight={rowHeight}>
            {(at) => {
              const member = rows[at]
              return member ? (
                <MemberRow
                  key={member.index}
                  at={at}
                  member={member}
                  columns={columns}
                  isBest={member.index === best}
                />
              ) : null
            }}
          </RowsInView>
        </table>
      </ScrollRegion>
      {rows.length === 0 && members.length > 0 ? (
        <p className="px-4 py-6 text-center text-muted text-sm">No member has this status.</p>
      ) : null}
    </Panel>
  )
}

interface MemberRowProps {
  member: GroupMember
  at: number
  columns: readonly MemberColumn[]
  isBest: boolean
}

const MemberRow = memo(function MemberRow({ member, at, columns, isBest }: MemberRowProps) {
  return (
    <tr
      aria-rowindex={at + 2}
      style={{ height: rowHeight }}
      className={isBest ? 'bg-accent-soft' : 'hover:bg-hover'}
    >
      {columns.map((column) => (
        <td
          key={column.id}
          className={cn(
            'max-w-64 truncate border-b px-3 first:pl-4 last:pr-4',
            column.numeric && 'text-right tabular-nums',
          )}
        >
          <MemberCell member={member} column={column} isBest={isBest} />
        </td>
      ))}
    </tr>
  )
})

function MemberCell({
  member,
  column,
  isBest,
}: Pick<MemberRowProps, 'member' | 'isBest'> & { column: MemberColumn }) {
  switch (column.id) {
    case 'index':
      return (
        <span className="flex items-center gap-2 tabular-nums">
          {member.has_job ? <Link href={`/jobs/${member.job_id}`}>#{member.index}</Link> : `#${member.index}`}
          {isBest ? <Badge tone="accent">best</Badge> : null}
          {member.existing ? <Badge>of an earlier wave</Badge> : null}
        </span>
      )
    case 'status':
      return <StatusOfMember status={member.status} />
    case 'run_time':
      return member.started_at === null ? '–' : <Duration from={member.started_at} to={member.ended_at} />
    default: {
      const value = column.value(member)
      if (typeof value === 'string') return <span title={value}>{value}</span>
      return typeof value === 'number' ? formatMetric(value) : String(value ?? '–')
    }
  }
}
