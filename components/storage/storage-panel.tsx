'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { deleteStoredItem, storageQuery } from '@/components/queries/storage'
import type { StoredItem } from '@/lib/contract/access/storage'
import { ofStorage } from '../features'
import { Loaded } from '../shell/load-failure'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { formatBytes } from '../ui/format-number'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { RelativeTime } from '../ui/relative-time'
import { Skeleton } from '../ui/skeleton'
import { type Column, DataTable, RowLink } from '../ui/table'
import { isStorageFull, StorageBar } from './storage-bar'

/** What the user has stored, and the largest things to delete. */
export function StoragePanel() {
  return (
    <div id="storage" className="scroll-mt-6">
      <Panel>
        <PanelHeader title="Storage" description="Files of your jobs and projects. The largest come first." />
        <Loaded query={useQuery(storageQuery())} placeholder={<Skeleton className="m-4 h-24" />}>
          {({ storage, items }) => (
            <>
              <PanelBody className="flex flex-col gap-4">
                <StorageBar storage={storage} />
                {isStorageFull(storage) ? (
                  <Callout tone="warning" title="Your storage is full">
                    gpuq accepts no new jobs from you, and keeps no new files. Delete files below, or ask an
                    admin for a larger quota.
                  </Callout>
                ) : null}
              </PanelBody>
              {items.length > 0 ? (
                <div className="border-t">
                  <DataTable
                    caption="Stored files"
                    columns={columns}
                    items={items}
                    keyOf={({ kind, project, id }) => `${kind} ${project} ${id}`}
                  />
                </div>
              ) : null}
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  )
}

const columns: Column<StoredItem>[] = [
  { label: 'What', kind: 'title', cell: (item) => <ItemTitle item={item} /> },
  { label: 'Project', className: 'text-muted', cell: ({ project_id }) => project_id },
  { label: 'Size', align: 'end', cell: ({ bytes }) => formatBytes(bytes) },
  {
    label: 'Created',
    className: 'text-muted',
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
  { label: 'Actions', kind: 'actions', cell: (item) => <DeleteItem item={item} /> },
]

function ItemTitle({ item: { kind, id, name, project, in_use, deleting } }: { item: StoredItem }) {
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1.5">
      {kind === 'job' ? (
        <RowLink href={`/jobs/${id}`} className="truncate">
          {name ?? `Job ${id.slice(-12)}`}
        </RowLink>
      ) : kind === 'archive' && name !== null ? (
        <RowLink href={ofStorage.pathOfNames(project)} className="wrap-anywhere">
          Snapshot {name}
        </RowLink>
      ) : (
        <span className="truncate">
          {kind === 'archive' ? 'Uploaded directory' : `Checkpoints of ${name ?? id}`}
        </span>
      )}
      {in_use ? <Badge tone="info">in use</Badge> : null}
      {deleting ? <Badge tone="warning">being deleted</Badge> : null}
    </span>
  )
}

const consequences = {
  job: 'gpuq deletes the output, the files of /results and the program. The job stays in the list. You cannot undo this.',
  archive: 'Jobs that used this directory stay, but cannot run again. You cannot undo this.',
  checkpoints: 'The next job of this run starts without checkpoints. You cannot undo this.',
} as const satisfies Record<StoredItem['kind'], string>

function DeleteItem({ item }: { item: StoredItem }) {
  const { mutateAsync } = useMutation(deleteStoredItem)
  const { kind, name, bytes, in_use, deleting } = item
  // It is deleted on the page of the project's snapshots: several may have the same files.
  if (kind === 'archive' && name !== null) return null
  return (
    <ConfirmDialog
      trigger={
        <Button
          icon={Trash2}
          size="sm"
          variant="danger-quiet"
          disabled={in_use || deleting}
          title={in_use ? 'A job that has not ended needs it.' : undefined}
        >
          Delete…
        </Button>
      }
      title={`Delete ${formatBytes(bytes)}?`}
      description={consequences[kind]}
      confirmLabel="Delete"
      onConfirm={() => mutateAsync(item)}
    />
  )
}
