import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle, type LucideIcon, Rocket } from 'lucide-react'
import type { UploadStatus } from '@/lib/contract/status'
import { StatusBadge } from '../ui/status-badge'
import type { Tone } from '../ui/tones'

interface StatusStyle {
  tone: Tone
  icon: LucideIcon
  label: string
  motion?: 'spin' | 'pulse'
}

export const statusStyles = {
  pending: { tone: 'neutral', icon: CircleDashed, label: 'Pending' },
  running: { tone: 'info', icon: LoaderCircle, label: 'Running', motion: 'spin' },
  completed: { tone: 'success', icon: CircleCheck, label: 'Completed' },
  failed: { tone: 'danger', icon: CircleX, label: 'Failed' },
  cancelled: { tone: 'neutral', icon: Ban, label: 'Cancelled' },
} as const satisfies Record<UploadStatus, StatusStyle>

const starting: StatusStyle = { tone: 'info', icon: Rocket, label: 'Starting', motion: 'pulse' }
const cancelling: StatusStyle = { tone: 'warning', icon: Ban, label: 'Cancelling', motion: 'pulse' }

interface JobStatusProps {
  status: UploadStatus
  /** A node is assigned: a pending job is starting there. */
  placed?: boolean
  /** A cancellation is in progress. */
  cancelRequested?: boolean
  variant?: 'framed' | 'plain'
}

/** The status of a job. */
export function JobStatus({ status, placed = false, cancelRequested = false, variant }: JobStatusProps) {
  const own: StatusStyle = statusStyles[status]
  const shown = cancelRequested ? cancelling : status === 'pending' && placed ? starting : own
  return <StatusBadge {...shown} {...(variant ? { variant } : {})} />
}
