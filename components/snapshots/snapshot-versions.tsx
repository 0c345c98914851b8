'use client'

import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Package, Trash2 } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useMemo } from 'react'
import { deleteAllVersions, versionsQuery } from '@/components/snapshots/queries'
import type { Snapshot } from '@/lib/snapshots/contract'
import { ListPanel } from '../shell/list-panel'
import { Person } from '../shell/person'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { EmptyState } from '../ui/empty-state'
import { formatBytes, formatNumber } from '../ui/format-number'
import { PageHeader } from '../ui/page-header'
import { RelativeTime } from '../ui/relative-time'
import { type Column, DataTable } from '../ui/table'
import { SnapshotActions } from './snapshot-actions'
import { SnapshotBadges } from './snapshot-cells'
import { SnapshotComparison } from './snapshot-comparison'
import type { SnapshotProject } from './snapshot-list'
import { snapshotsPath } from './snapshot-paths'

interface SnapshotVersionsProps {
  project: SnapshotProject
  name: string
  handle: string
  admin: boolean
}

/** The page of one snapshot: its versions, and what changed between two of them. */
export function SnapshotVersions({ project, name, handle, admin }: SnapshotVersionsProps) {
  const query = useInfiniteQuery(versionsQuery(project.id, name))
  const mayDeleteAll = admin || project.owner === handle
  const columns = useMemo(
    () => versionColumns({ mayDeleteAll, mayDeleteOwn: project.may_push, handle, admin }),
    [mayDeleteAll, project.may_push, handle, admin],
  )
  const versions = query.data?.pages.flatMap(({ items }) => items) ?? []
  const own = versions.filter((version) => version.own)
  return (
    <>
      <PageHeader
        title={name}
        path={[
          { label: 'Projects', href: '/projects' },
          { label: `Snapshots of ${project.project_id}`, href: snapshotsPath(project.id) },
        ]}
        description={
          <>
            Jobs use it with <code>archive: {name}</code>, or <code>archive: {name}@VERSION</code> for one
            version.
          </>
        }
        actions={
          own.length > 0 && mayDeleteAll ? (
            <DeleteAll
              projectId={project.id}
              name={name}
              shared={own.some((one) => one.shared_at !== null)}
            />
          ) : null
        }
      />
      <div className="flex flex-col gap-6">
        <ListPanel query={query} empty={<NoVersions name={name} />}>
          {(items) => <DataTable caption="Versions" columns={columns} items={items} keyOf={({ id }) => id} />}
        </ListPanel>
        {versions.length > 1 ? <SnapshotComparison versions={versions} /> : null}
      </div>
    </>
  )
}

function NoVersions({ name }: { name: string }) {
  return (
    <EmptyState icon={Package} title={`No snapshot ${name}`}>
      The project does not have it, or all its versions were deleted.
    </EmptyState>
  )
}

function versionColumns(rights: {
  mayDeleteAll: boolean
  /** The versions that the user pushed. */
  mayDeleteOwn: boolean
  handle: string
  admin: boolean
}): Column<Snapshot>[] {
  return [
    {
      label: 'Version',
      kind: 'title',
      cell: (snapshot) => (
        <span className="flex min-w-0 flex-wrap items-center gap-1.5">
          <span className="wrap-anywhere font-medium text-ink">
            {snapshot.name}@{snapshot.version}
          </span>
          <SnapshotBadges snapshot={snapshot} />
        </span>
      ),
    },
    { label: 'Size', align: 'end', cell: ({ bytes }) => formatBytes(bytes) },
    { label: 'Files', align: 'end', cell: ({ files }) => formatNumber(files) },
    {
      label: 'Pushed by',
      cell: ({ created_by, created_by_name }) =>
        created_by === null ? '–' : <Person handle={created_by} name={created_by_name} />,
    },
    { label: 'Pushed', cell: ({ created_at }) => <RelativeTime at={created_at} className="text-muted" /> },
    {
      label: 'Actions',
      kind: 'actions',
      cell: (snapshot) => (
        <SnapshotActions
          snapshot={snapshot}
          admin={rights.admin}
          deletable={
            snapshot.own &&
            (rights.mayDeleteAll || (rights.mayDeleteOwn && snapshot.created_by === rights.handle))
          }
        />
      ),
    },
  ]
}

function DeleteAll({ projectId, name, shared }: { projectId: string; name: string; shared: boolean }) {
  const { mutateAsync } = useMutation(deleteAllVersions)
  const router = useRouter()
  return (
    <ConfirmDialog
      trigger={
        <Button
          icon={Trash2}
          variant="danger-quiet"
          disabled={shared}
          title={
            shared ? 'A version is shared with everyone. An admin must stop sharing it first.' : undefined
          }
        >
          Delete all versions…
        </Button>
      }
      title={`Delete all versions of ${name}?`}
      description="Jobs that were accepted with a version keep its files. New jobs cannot use the name. You cannot undo this."
      confirmLabel="Delete all versions"
      onConfirm={async () => {
        await mutateAsync({ projectId, name })
        router.push(snapshotsPath(projectId))
      }}
    />
  )
}
