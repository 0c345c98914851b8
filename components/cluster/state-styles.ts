import {
  CircleCheck,
  CircleDot,
  CircleMinus,
  CirclePause,
  CircleX,
  type LucideIcon,
  ShieldAlert,
  SquareCheckBig,
  TriangleAlert,
  Unplug,
} from 'lucide-react'
import type { ClusterGpu, ClusterNode } from '@/lib/contract/cluster/cluster'
import type { Tone } from '../ui/tones'

/** The colour, icon and label of a state. */
export interface StateStyle {
  tone: Tone
  icon: LucideIcon
  label: string
  /** What the state means. */
  message: string
}

export const gpuStateStyles = {
  free: { tone: 'success', icon: CircleCheck, label: 'Free', message: 'The whole GPU is available.' },
  shared: { tone: 'info', icon: CircleDot, label: 'Shared', message: 'A part of the GPU is allocated.' },
  full: { tone: 'accent', icon: SquareCheckBig, label: 'Full', message: 'The whole GPU is allocated.' },
  outside: {
    tone: 'warning',
    icon: TriangleAlert,
    label: 'Outside',
    message: 'Other programs use the GPU, or it does not respond. gpuq does not allocate it.',
  },
  paused: { tone: 'neutral', icon: CirclePause, label: 'Paused', message: 'An admin paused it.' },
  missing: {
    tone: 'danger',
    icon: CircleX,
    label: 'Missing',
    message: 'Its node no longer finds this GPU.',
  },
  closed: {
    tone: 'neutral',
    icon: CircleMinus,
    label: 'Closed',
    message: 'The GPU is free, but its node accepts no jobs.',
  },
} as const satisfies Record<ClusterGpu['state'], StateStyle>

export const nodeStateStyles = {
  ready: { tone: 'success', icon: CircleCheck, label: 'Ready', message: 'The node accepts jobs.' },
  draining: {
    tone: 'warning',
    icon: CircleMinus,
    label: 'Draining',
    message: 'Its worker finishes its jobs and then stops.',
  },
  drained: { tone: 'neutral', icon: CircleMinus, label: 'Drained', message: 'Its worker has stopped.' },
  paused: { tone: 'neutral', icon: CirclePause, label: 'Paused', message: 'An admin paused it.' },
  quarantined: {
    tone: 'danger',
    icon: ShieldAlert,
    label: 'Quarantined',
    message:
      'Too many tasks failed on this node in a row. It returns when its self-test passes or an admin ends the quarantine.',
  },
  lost: { tone: 'danger', icon: Unplug, label: 'Lost', message: 'Its worker does not respond.' },
} as const satisfies Record<ClusterNode['state'], StateStyle>
