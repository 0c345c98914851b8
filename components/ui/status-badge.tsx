import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './class-names'
import { type Tone, tones } from './tones'

interface StatusBadgeProps {
  tone: Tone
  icon: LucideIcon
  label: ReactNode
  /** It is under way: the icon moves, where motion is welcome. */
  motion?: 'spin' | 'pulse'
  /** `plain` leaves out the frame, for dense tables. */
  look?: 'framed' | 'plain'
  className?: string
}

const inkOfTone = {
  neutral: 'text-muted',
  accent: 'text-accent-ink',
  info: 'text-info-ink',
  success: 'text-success-ink',
  warning: 'text-warning-ink',
  danger: 'text-danger-ink',
} as const satisfies Record<Tone, string>

/** Where something stands, in colour, shape and words. */
export function StatusBadge({
  tone,
  icon: Icon,
  label,
  motion,
  look = 'framed',
  className,
}: StatusBadgeProps) {
  const framed = look === 'framed'
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1.5 whitespace-nowrap align-middle font-medium',
        framed ? ['h-6 rounded-full border px-2 text-xs', tones[tone]] : ['text-sm', inkOfTone[tone]],
        className,
      )}
    >
      <Icon
        aria-hidden
        className={cn(
          'size-3.5 shrink-0',
          motion === 'spin' && 'animate-spin [animation-duration:1.6s]',
          motion === 'pulse' && 'animate-pulse-soft',
        )}
      />
      {label}
    </span>
  )
}
