'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Package } from 'lucide-react'
import { useMemo } from 'react'
import { snapshotsQuery } from '@/components/snapshots/queries'
import type { NamedSnapshot } from '@/lib/snapshots/contract'
import { ListPanel } from '../shell/list-panel'
import { Person } from '../shell/person'
import { CodeBlock } from '../ui/code-block'
import { EmptyState } from '../ui/empty-state'
import { formatBytes, formatNumber } from '../ui/format-number'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { type Column, DataTable, RowLink } from '../ui/table'
import { DownloadLink, SnapshotBadges } from './snapshot-cells'
import { versionsPath } from './snapshot-paths'

/** The project whose snapshots a page shows. */
export interface SnapshotProject {
  id: string
  project_id: string
  owner: string
  /** Whether the user may push snapshots to it. */
  may_push: boolean
}

/** The snapshots page of a project: the newest version of each, and those that other projects share. */
export function SnapshotList({ project }: { project: SnapshotProject }) {
  const query = useInfiniteQuery(snapshotsQuery(project.id))
  const columns = useMemo(() => snapshotColumns(project.id), [project.id])
  return (
    <>
      <PageHeader
        title={`Snapshots of ${project.project_id}`}
        path={[{ label: 'Projects', href: '/projects' }]}
        description={
          <>
            Named versions of directories. A job starts in a copy of one with <code>archive: NAME</code> in
            its config.
          </>
        }
      />
      <ListPanel query={query} empty={<NoSnapshots project={project} />}>
        {(snapshots) => (
          <DataTable caption="Snapshots" columns={columns} items={snapshots} keyOf={({ id }) => id} />
        )}
      </ListPanel>
    </>
  )
}

function NoSnapshots({ project: { project_id, owner, may_push } }: { project: SnapshotProject }) {
  if (!may_push) {
    return (
      <EmptyState icon={Package} title="No snapshots yet">
        You may use snapshots of this project, but not push any. Ask the owner, {owner}, for the right to
        push.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={Package}
      title="No snapshots yet"
      action={
        <CodeBlock
          title="shell"
          label="push command"
          code={`gpuq push DIR --name code --project ${project_id}`}
          className="text-left"
        />
      }
    >
      Push a directory under a name. Each push of changed files makes a new version.
    </EmptyState>
  )
}

function snapshotColumns(projectId: string): Column<NamedSnapshot>[] {
  return [
    {
      label: 'Snapshot',
      kind: 'title',
      cell: (snapshot) => (
        <span className="flex min-w-0 flex-wrap items-center gap-1.5">
          <RowLink href={versionsPath(projectId, snapshot.name)} className="wrap-anywhere">
            {snapshot.name}
            <span className="text-subtle">@{snapshot.version}</span>
          </RowLink>
          <SnapshotBadges snapshot={snapshot} />
        </span>
      ),
    },
    { label: 'Versions', align: 'end', cell: ({ versions }) => formatNumber(versions) },
    { label: 'Size', align: 'end', cell: ({ bytes }) => formatBytes(bytes) },
    { label: 'Files', align: 'end', cell: ({ files }) => formatNumber(files) },
    {
      label: 'Pushed by',
      cell: ({ created_by, created_by_name }) =>
        created_by === null ? '–' : <Person handle={created_by} name={created_by_name} />,
    },
    { label: 'Pushed', cell: ({ created_at }) => <RelativeTime at={created_at} className="text-muted" /> },
    { label: 'Actions', kind: 'actions', cell: (snapshot) => <DownloadLink snapshot={snapshot} /> },
  ]
}
