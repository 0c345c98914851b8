import { Hourglass } from 'lucide-react'
import type { Group, GroupMember } from '@/lib/groups/contract'
import { JobStatus } from '../jobs/job-status'
import { StatusBadge } from '../ui/status-badge'

export type MemberStatus = GroupMember['status']

/** The statuses of members in the order of bars and legends, with the CSS variable of their colour. */
export const memberStatuses = [
  { status: 'completed', label: 'Completed', colour: '--success-ink' },
  { status: 'failed', label: 'Failed', colour: '--danger-ink' },
  { status: 'cancelled', label: 'Cancelled', colour: '--edge' },
  { status: 'running', label: 'Running', colour: '--accent' },
  { status: 'paused', label: 'Paused', colour: '--warning-ink' },
  { status: 'pending', label: 'Pending', colour: '--edge' },
  { status: 'held', label: 'Held', colour: '--line-strong' },
] as const satisfies readonly { status: MemberStatus; label: string; colour: string }[]

/** A member's status as icon and text. */
export function StatusOfMember({ status }: { status: MemberStatus }) {
  if (status === 'held') return <StatusBadge tone="neutral" icon={Hourglass} label="Held" variant="plain" />
  return <JobStatus state={status} variant="plain" />
}

export const labelOf = (status: MemberStatus) =>
  memberStatuses.find((one) => one.status === status)?.label ?? status

/** How many members have ended, in whatever way. */
export const countEnded = ({ counts: { completed, failed, cancelled } }: Pick<Group, 'counts'>) =>
  completed + failed + cancelled
