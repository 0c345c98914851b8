import { Download } from 'lucide-react'
import { api } from '@/components/queries/queries'
import type { Snapshot } from '@/lib/snapshots/contract'
import { Badge } from '../ui/badge'
import { buttonStyles } from '../ui/button'

/** Says who else may use a snapshot, or whose it is. */
export function SnapshotBadges({ snapshot: { own, project_id, shared_at } }: { snapshot: Snapshot }) {
  if (!own) return <Badge tone="info">from {project_id}</Badge>
  return shared_at === null ? null : <Badge tone="success">shared</Badge>
}

/** Downloads a version as a tar file. */
export function DownloadLink({ snapshot: { id, name, version } }: { snapshot: Snapshot }) {
  return (
    <a
      href={api.snapshots.downloadUrl(id)}
      download
      aria-label={`Download ${name}@${version}`}
      title="Download as a tar file"
      className={buttonStyles({ size: 'sm', variant: 'ghost' })}
    >
      <Download aria-hidden />
    </a>
  )
}
