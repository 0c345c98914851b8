import { useMutation } from '@tanstack/react-query'
import { Share2, Trash2 } from 'lucide-react'
import { deleteSnapshot, shareSnapshot } from '@/components/snapshots/queries'
import type { Snapshot } from '@/lib/snapshots/contract'
import { Button } from '../ui/button'
import { ConfirmDialog } from '../ui/confirm-dialog'
import { IconButton } from '../ui/icon-button'
import { DownloadLink } from './snapshot-cells'

interface SnapshotActionsProps {
  snapshot: Snapshot
  admin: boolean
  /** Whether the user may delete it while it is not shared. */
  deletable: boolean
}

/** What a user can do with one version. */
export function SnapshotActions({ snapshot, admin, deletable }: SnapshotActionsProps) {
  return (
    <span className="flex items-center justify-end gap-1">
      {admin ? <ShareButton snapshot={snapshot} /> : null}
      <DownloadLink snapshot={snapshot} />
      {deletable && snapshot.shared_at === null ? <DeleteButton snapshot={snapshot} /> : null}
    </span>
  )
}

function ShareButton({ snapshot: { id, name, version, shared_at } }: { snapshot: Snapshot }) {
  const { mutateAsync } = useMutation(shareSnapshot)
  const label = `${name}@${version}`
  if (shared_at === null) {
    return (
      <ConfirmDialog
        trigger={
          <Button icon={Share2} size="sm" target={label}>
            Share…
          </Button>
        }
        tone="primary"
        title={`Share ${label} with everyone?`}
        description="Every user can see, download and use this version. Later versions are not shared."
        confirmLabel="Share"
        onConfirm={() => mutateAsync({ id, shared: true })}
      />
    )
  }
  return (
    <ConfirmDialog
      trigger={
        <Button icon={Share2} size="sm" target={label}>
          Stop sharing…
        </Button>
      }
      title={`Stop sharing ${label}?`}
      description="New jobs of other projects cannot use it. Jobs that were accepted with it keep its files."
      confirmLabel="Stop sharing"
      onConfirm={() => mutateAsync({ id, shared: false })}
    />
  )
}

function DeleteButton({ snapshot: { id, name, version } }: { snapshot: Snapshot }) {
  const { mutateAsync } = useMutation(deleteSnapshot)
  const label = `${name}@${version}`
  return (
    <ConfirmDialog
      trigger={<IconButton icon={Trash2} variant="danger" label={`Delete ${label}`} />}
      title={`Delete ${label}?`}
      description="Jobs that were accepted with this version keep its files. New jobs cannot use it. You cannot undo this."
      confirmLabel="Delete"
      onConfirm={() => mutateAsync(id)}
    />
  )
}
