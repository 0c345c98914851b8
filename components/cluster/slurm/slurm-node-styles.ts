import { CircleCheck, CircleDot, CircleMinus, CircleX, SquareCheckBig } from 'lucide-react'
import type { SlurmNodeView } from '@/lib/contract/cluster/slurm'
import type { StateStyle } from '../state-styles'

export const slurmNodeStyles = {
  free: { tone: 'success', icon: CircleCheck, label: 'Free', message: 'No job runs there.' },
  mixed: { tone: 'info', icon: CircleDot, label: 'Partly used', message: 'A part of it is free.' },
  full: { tone: 'accent', icon: SquareCheckBig, label: 'Full', message: 'All of its GPUs or CPUs are used.' },
  draining: {
    tone: 'warning',
    icon: CircleMinus,
    label: 'Draining',
    message: 'It accepts no new jobs, and some still run.',
  },
  drained: { tone: 'neutral', icon: CircleMinus, label: 'Drained', message: 'It accepts no jobs.' },
  down: { tone: 'danger', icon: CircleX, label: 'Down', message: 'It does not answer Slurm.' },
} as const satisfies Record<SlurmNodeView['state'], StateStyle>
