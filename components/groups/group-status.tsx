import { Hourglass } from 'lucide-react'
import type { Group } from '@/lib/groups/contract'
import { waitLabel, waitsForApproval } from '@/lib/groups/contract-title'
import { JobStatus } from '../jobs/job-status'
import { StatusBadge } from '../ui/status-badge'

type Variant = 'framed' | 'plain'

/** The status of a group as icon and text. */
export function StatusOfGroup({ group, variant = 'framed' }: { group: Group; variant?: Variant }) {
  const label = waitLabel(group)
  if (label === null) return <JobStatus state={group.status} variant={variant} />
  const tone = waitsForApproval(group) ? 'warning' : 'neutral'
  return <StatusBadge tone={tone} icon={Hourglass} label={label} variant={variant} />
}
