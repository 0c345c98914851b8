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
import type { ClusterGpu, ClusterNode } from '@/lib/contract/cluster'
import type { Tone } from '../ui/tones'

/** How a state looks: its colour, its shape and its word always come together. */
export interface StateLook {
  tone: Tone
  icon: LucideIcon
  label: string
  /** What it means, in a sentence. */
  message: string
}

export const gpuLooks = {
  free: { tone: 'success', icon: CircleCheck, label: 'Free', message: 'All of it can be given out.' },
  shared: { tone: 'info', icon: CircleDot, label: 'Shared', message: 'A part of it is given out.' },
  full: { tone: 'accent', icon: SquareCheckBig, label: 'Full', message: 'All of it is given out.' },
  outside: {
    tone: 'warning',
    icon: TriangleAlert,
    label: 'Outside',
    message: 'Others than gpuq use it, or it does not answer: it is not given out.',
  },
  paused: { tone: 'neutral', icon: CirclePause, label: 'Paused', message: 'An admin holds it back.' },
  missing: {
    tone: 'danger',
    icon: CircleX,
    label: 'Missing',
    message: 'Its node does not find it any more.',
  },
  closed: {
    tone: 'neutral',
    icon: CircleMinus,
    label: 'Closed',
    message: 'It would be free, but its node takes no jobs now.',
  },
} as const satisfies Record<ClusterGpu['state'], StateLook>

export const nodeLooks = {
  ready: { tone: 'success', icon: CircleCheck, label: 'Ready', message: 'It takes jobs.' },
  draining: {
    tone: 'warning',
    icon: CircleMinus,
    label: 'Draining',
    message: 'Its worker finishes what it has, and leaves.',
  },
  drained: { tone: 'neutral', icon: CircleMinus, label: 'Drained', message: 'Its worker has left.' },
  paused: { tone: 'neutral', icon: CirclePause, label: 'Paused', message: 'An admin holds it back.' },
  quarantined: {
    tone: 'danger',
    icon: ShieldAlert,
    label: 'Quarantined',
    message: 'Too many tasks failed there in a row. An admin can take it back.',
  },
  lost: { tone: 'danger', icon: Unplug, label: 'Lost', message: 'Its worker does not answer.' },
} as const satisfies Record<ClusterNode['state'], StateLook>
