'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import type { Group } from '@/lib/groups/contract'
import { groupTitle } from '@/lib/groups/contract-title'
import { ListPanel } from '../shell/list-panel'
import { updateSearchParams } from '../shell/update-search-params'
import { ButtonLink } from '../ui/button-link'
import { CodeBlock } from '../ui/code-block'
import { EmptyState } from '../ui/empty-state'
import { formatNumber } from '../ui/format-number'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { Segmented } from '../ui/segmented'
import { type Column, DataTable, RowLink } from '../ui/table'
import { CountsBar } from './counts-bar'
import { StatusOfGroup } from './group-status'
import { groupsQuery, listInterval } from './queries'

const columns: readonly Column<Group>[] = [
  {
    label: 'Group',
    kind: 'title',
    cell: (group) => (
      <span className="flex min-w-0 flex-col">
        <RowLink href={`/groups/${group.group_id}`} className="wrap-anywhere">
          {groupTitle(group)}
        </RowLink>
        <span className="truncate text-subtle text-xs">
          {group.competition_id} · {group.project_id}
        </span>
      </span>
    ),
  },
  { label: 'Status', cell: (group) => <StatusOfGroup group={group} variant="plain" /> },
  { label: 'Ended', cell: (group) => <CountsBar group={group} /> },
  { label: 'Members', align: 'end', cell: ({ members }) => formatNumber(members) },
  { label: 'Submitted', cell: ({ created_at }) => <RelativeTime at={created_at} className="text-muted" /> },
]
const columnsOfAll: readonly Column<Group>[] = columns.toSpliced(1, 0, {
  label: 'User',
  cell: ({ user_id }) => <span className="wrap-anywhere">{user_id}</span>,
})

/** The page Groups: sweeps, arrays and waves of jobs, each in one row. */
export function GroupList({ admin }: { admin: boolean }) {
  const all = useSearchParams().get('all') === 'true' && admin
  const query = useInfiniteQuery({
    ...groupsQuery(all),
    refetchInterval: ({ state: { data } }) => listInterval(data?.pages.flatMap(({ items }) => items) ?? []),
  })
  return (
    <>
      <PageHeader
        title="Groups"
        description="Sweeps, arrays and waves: many jobs of one program, submitted at once. Their members are not in the list of jobs."
        actions={
          admin ? (
            <Segmented
              label="Groups of"
              value={all ? 'all' : 'own'}
              onValueChange={(value) =>
                updateSearchParams(new URLSearchParams(value === 'all' ? { all: 'true' } : {}), 'push')
              }
              options={[
                { value: 'own', label: 'My groups' },
                { value: 'all', label: 'All users' },
              ]}
            />
          ) : null
        }
      />
      <ListPanel query={query} empty={<NoGroups />}>
        {(groups) => (
          <DataTable
            caption="Groups"
            columns={all ? columnsOfAll : columns}
            items={groups}
            keyOf={({ group_id }) => group_id}
          />
        )}
      </ListPanel>
    </>
  )
}

const sample = `args: [--lr, "{lr}"]
matrix:
  lr: [0.1, 0.01, 0.001]
  seed: {from: 1, to: 5}
parallel: 4
objective: {metric: val_loss, mode: min}`

function NoGroups() {
  return (
    <div className="pb-8">
      <EmptyState
        icon={Layers}
        title="No groups yet"
        className="pb-6"
        action={
          <ButtonLink href="/submit" variant="primary">
            Submit a group
          </ButtonLink>
        }
      >
        A group runs one program many times. A sweep tries many parameters: add a matrix to the config of a
        job, or use gpuq sweep in a terminal. The members of a wave differ in any keys: list them as members.
      </EmptyState>
      <div className="mx-auto w-full max-w-2xl px-4">
        <CodeBlock label="keys of config.yaml" title="In config.yaml" code={sample} />
        <CodeBlock
          label="gpuq sweep command"
          title="Or from a terminal"
          code={
            'gpuq sweep --with-dir --param lr=0.1,0.01 --param seed=1..5 -- python train.py --lr {lr} --seed {seed}'
          }
          wrap
          className="mt-4"
        />
      </div>
    </div>
  )
}
