import { useQuery } from '@tanstack/react-query'
import { ArrowRight } from 'lucide-react'
import { useState } from 'react'
import { changesQuery } from '@/components/snapshots/queries'
import type { SnapshotChange } from '@/lib/contract/archives/changes'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import type { Snapshot } from '@/lib/snapshots/contract'
import { Loaded } from '../shell/load-failure'
import { Badge } from '../ui/badge'
import { formatBytes, formatNumber } from '../ui/format-number'
import { Panel, PanelHeader } from '../ui/panel'
import { Select } from '../ui/select'
import { SkeletonRows } from '../ui/skeleton'
import { type Column, DataTable } from '../ui/table'
import { changeTones, describeChanges } from './describe-changes'

/** What changed between two versions, at first between the newest one and the one before it. */
export function SnapshotComparison({ versions }: { versions: readonly Snapshot[] }) {
  const [newest, previous] = versions
  const [chosen, setChosen] = useState<{ from?: string; to?: string }>({})
  // A chosen version may be deleted.
  const find = (id: string | undefined) => versions.find((version) => version.id === id)
  const from = find(chosen.from) ?? previous
  const to = find(chosen.to) ?? newest
  if (!from || !to) return null
  const options = versions.map(({ id, version }) => ({ value: id, label: `Version ${version}` }))
  return (
    <Panel>
      <PanelHeader
        title="Compare versions"
        actions={
          <span className="flex min-w-0 items-center gap-2">
            <Select
              aria-label="From version"
              options={options}
              value={from.id}
              onValueChange={(id) => setChosen({ ...chosen, from: id })}
              className="w-34"
            />
            <ArrowRight aria-hidden className="size-4 shrink-0 text-subtle" />
            <Select
              aria-label="To version"
              options={options}
              value={to.id}
              onValueChange={(id) => setChosen({ ...chosen, to: id })}
              className="w-34"
            />
          </span>
        }
      />
      <Changes from={from.id} to={to.id} />
    </Panel>
  )
}

function Changes({ from, to }: { from: string; to: string }) {
  return (
    <Loaded
      query={useQuery(changesQuery(from, to))}
      placeholder={<SkeletonRows rows={3} />}
      failureClass="m-4"
    >
      {(changes) => (
        <>
          <p className="px-4 py-2 text-muted text-sm">{describeChanges(changes)}</p>
          {changes.files.length > 0 ? (
            <div className="border-t">
              <DataTable
                caption="Changed files"
                columns={columns}
                items={changes.files}
                keyOf={({ path }) => path}
              />
            </div>
          ) : null}
          {changes.truncated ? (
            <p className="border-t px-4 py-2 text-muted text-sm">
              Only the first {formatNumber(changes.files.length)} files are shown.{' '}
              <code>gpuq snapshots compare</code> lists all of them.
            </p>
          ) : null}
        </>
      )}
    </Loaded>
  )
}

const sizeOf = (bytes: number | null) => (bytes === null ? '–' : formatBytes(bytes))

const columns: readonly Column<SnapshotChange>[] = [
  {
    label: 'File',
    kind: 'title',
    className: '@2xl:max-w-none',
    cell: ({ path }) => <bdi className="break-all font-mono text-ink text-xs">{visibleText(path, 300)}</bdi>,
  },
  { label: 'Change', cell: ({ change }) => <Badge tone={changeTones[change]}>{change}</Badge> },
  { label: 'Before', align: 'end', cell: ({ bytes_before }) => sizeOf(bytes_before) },
  { label: 'After', align: 'end', cell: ({ bytes_after }) => sizeOf(bytes_after) },
]
