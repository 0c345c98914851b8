import { Ban, CircleCheck, CircleDashed, CircleX, LoaderCircle, type LucideIcon, Rocket } from 'lucide-react'
import type { UploadStatus } from '@/lib/contract/status'
import { StatusBadge } from '../ui/status-badge'
import type { Tone } from '../ui/tones'

interface Look {
  tone: Tone
  icon: LucideIcon
  label: string
  motion?: 'spin' | 'pulse'
}

export const statusLooks = {
  pending: { tone: 'neutral', icon: CircleDashed, label: 'Pending' },
  running: { tone: 'info', icon: LoaderCircle, label: 'Running', motion: 'spin' },
  completed: { tone: 'success', icon: CircleCheck, label: 'Completed' },
  failed: { tone: 'danger', icon: CircleX, label: 'Failed' },
  cancelled: { tone: 'neutral', icon: Ban, label: 'Cancelled' },
} as const satisfies Record<UploadStatus, Look>

const starting: Look = { tone: 'info', icon: Rocket, label: 'Starting', motion: 'pulse' }
const cancelling: Look = { tone: 'warning', icon: Ban, label: 'Cancelling', motion: 'pulse' }

interface JobStatusProps {
  status: UploadStatus
  /** A node was chosen: a job that is still pending is being started there. */
  placed?: boolean
  /** Someone asked for an end that has not come yet. */
  cancelRequested?: boolean
  look?: 'framed' | 'plain'
}

/** Where a job stands. */
export function JobStatus({ status, placed = false, cancelRequested = false, look }: JobStatusProps) {
  const own: Look = statusLooks[status]
  const shown = cancelRequested ? cancelling : status === 'pending' && placed ? starting : own
  return <StatusBadge {...shown} {...(look ? { look } : {})} />
}
