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
  says: string
}

export const gpuLooks = {
  free: { tone: 'success', icon: CircleCheck, label: 'Free', says: 'All of it can be given out.' },
  shared: { tone: 'info', icon: CircleDot, label: 'Shared', says: 'A part of it is given out.' },
  full: { tone: 'accent', icon: SquareCheckBig, label: 'Full', says: 'All of it is given out.' },
  outside: {
    tone: 'warning',
    icon: TriangleAlert,
    label: 'Outside',
    says: 'Others than gpuq use it, or it does not answer: it is not given out.',
  },
  paused: { tone: 'neutral', icon: CirclePause, label: 'Paused', says: 'An admin holds it back.' },
  missing: { tone: 'danger', icon: CircleX, label: 'Missing', says: 'Its node does not find it any more.' },
  closed: {
    tone: 'neutral',
    icon: CircleMinus,
    label: 'Closed',
    says: 'It would be free, but its node takes no jobs now.',
  },
} as const satisfies Record<ClusterGpu['state'], StateLook>

export const nodeLooks = {
  ready: { tone: 'success', icon: CircleCheck, label: 'Ready', says: 'It takes jobs.' },
  draining: {
    tone: 'warning',
    icon: CircleMinus,
    label: 'Draining',
    says: 'Its worker finishes what it has, and leaves.',
  },
  drained: { tone: 'neutral', icon: CircleMinus, label: 'Drained', says: 'Its worker has left.' },
  paused: { tone: 'neutral', icon: CirclePause, label: 'Paused', says: 'An admin holds it back.' },
  quarantined: {
    tone: 'danger',
    icon: ShieldAlert,
    label: 'Quarantined',
    says: 'Too many tasks failed there in a row. An admin can take it back.',
  },
  lost: { tone: 'danger', icon: Unplug, label: 'Lost', says: 'Its worker does not answer.' },
} as const satisfies Record<ClusterNode['state'], StateLook>
