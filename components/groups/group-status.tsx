import { Hourglass } from 'lucide-react'
import type { Group } from '@/lib/groups/contract'
import { JobStatus } from '../jobs/job-status'
import { StatusBadge } from '../ui/status-badge'

type Variant = 'framed' | 'plain'

/** Whether no member may start before a person approves the group. Its status is `running` then, as while a member is held otherwise. */
export const waitsForApproval = ({ status, awaits_approval }: Pick<Group, 'status' | 'awaits_approval'>) =>
  status === 'running' && awaits_approval

/** The status of a group as icon and text. */
export function StatusOfGroup({ group, variant = 'framed' }: { group: Group; variant?: Variant }) {
  if (!waitsForApproval(group)) return <JobStatus state={group.status} variant={variant} />
  return <StatusBadge tone="warning" icon={Hourglass} label="Waits for approval" variant={variant} />
}
