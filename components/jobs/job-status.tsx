import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  LoaderCircle,
  type LucideIcon,
  Rocket,
} from 'lucide-react'
import type { UploadStatus } from '@/lib/contract/status'
import { StatusBadge } from '../ui/status-badge'
import type { Tone } from '../ui/tones'

/** A status, or what it does not say: a pending job starts on its node or is paused by its group, or a cancellation is requested. */
export type JobState = UploadStatus | 'starting' | 'paused' | 'cancelling'

interface StateStyle {
  tone: Tone
  icon: LucideIcon
  label: string
  motion?: 'spin' | 'pulse'
}

export const stateStyles: Record<JobState, StateStyle> = {
  pending: { tone: 'neutral', icon: CircleDashed, label: 'Pending' },
  starting: { tone: 'info', icon: Rocket, label: 'Starting', motion: 'pulse' },
  paused: { tone: 'warning', icon: CirclePause, label: 'Paused' },
  running: { tone: 'info', icon: LoaderCircle, label: 'Running', motion: 'spin' },
  cancelling: { tone: 'warning', icon: Ban, label: 'Cancelling', motion: 'pulse' },
  completed: { tone: 'success', icon: CircleCheck, label: 'Completed' },
  failed: { tone: 'danger', icon: CircleX, label: 'Failed' },
  cancelled: { tone: 'neutral', icon: Ban, label: 'Cancelled' },
}

/** The state of a job as its badge and note show it. */
export function jobStateOf(job: {
  status: UploadStatus
  placed: boolean
  cancel_requested: boolean
  reason: string | null
}): JobState {
  if (job.cancel_requested) return 'cancelling'
  if (job.status !== 'pending') return job.status
  if (job.placed) return 'starting'
  return job.reason === 'group_paused' ? 'paused' : 'pending'
}

/** The title of a job's page: "Failed: baseline". */
export function tabTitle(state: JobState, title: string): string {
  return `${stateStyles[state].label}: ${title}`
}

export function JobStatus({ state, variant = 'framed' }: { state: JobState; variant?: 'framed' | 'plain' }) {
  return <StatusBadge {...stateStyles[state]} variant={variant} />
}
