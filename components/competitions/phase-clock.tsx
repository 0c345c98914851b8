import { CalendarClock, CircleDot, Flag } from 'lucide-react'
import type { Phase } from '@/lib/competitions/contract'
import { StatusBadge } from '../ui/status-badge'
import { useNow } from '../ui/use-now'
import { describeClock, stateOf } from './phase-times'

const looks = {
  upcoming: { tone: 'info', icon: CalendarClock, label: 'Upcoming' },
  open: { tone: 'success', icon: CircleDot, label: 'Open' },
  ended: { tone: 'neutral', icon: Flag, label: 'Ended' },
} as const

interface PhaseClockProps {
  phase: Pick<Phase, 'state' | 'starts_at' | 'ends_at'>
  variant?: 'framed' | 'plain'
}

/** Whether a phase is open, with a countdown. The server does not know the clock of the reader, so it leaves the countdown out. */
export function PhaseClock({ phase, variant = 'framed' }: PhaseClockProps) {
  const now = useNow(1000)
  const { tone, icon, label } = looks[now === null ? phase.state : stateOf(phase, now)]
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <StatusBadge tone={tone} icon={icon} label={label} variant={variant} />
      <span className="text-muted text-xs tabular-nums">
        {now === null ? null : describeClock(phase, now)}
      </span>
    </span>
  )
}
