import type { Snapshot } from '@/lib/contract/archives/snapshots'
import { Badge } from '../ui/badge'

/** Says who else may use a snapshot, or whose it is. */
export function SnapshotBadges({ snapshot: { own, project_id, shared_at } }: { snapshot: Snapshot }) {
  if (!own) return <Badge tone="info">from {project_id}</Badge>
  return shared_at === null ? null : <Badge tone="success">shared</Badge>
}
