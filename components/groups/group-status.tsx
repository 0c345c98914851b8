import { Hourglass } from 'lucide-react'
import type { Group } from '@/lib/groups/contract'
import { waitsForApproval } from '@/lib/groups/contract-title'
import { JobStatus } from '../jobs/job-status'
import { StatusBadge } from '../ui/status-badge'

type Variant = 'framed' | 'plain'

/** The status of a group as icon and text. */
export function StatusOfGroup({ group, variant = 'framed' }: { group: Group; variant?: Variant }) {
  if (waitsForApproval(group))
    return <StatusBadge tone="warning" icon={Hourglass} label="Waits for approval" variant={variant} />
  if (group.status === 'running' && group.waits_for_others)
    return <StatusBadge tone="neutral" icon={Hourglass} label="Waits for others" variant={variant} />
  return <JobStatus state={group.status} variant={variant} />
}
