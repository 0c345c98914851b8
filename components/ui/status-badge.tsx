import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './class-names'
import { type Tone, tones } from './tones'

interface StatusBadgeProps {
  tone: Tone
  icon: LucideIcon
  label: ReactNode
  /** Animates the icon, unless the user prefers reduced motion. */
  motion?: 'spin' | 'pulse'
  /** `plain` has no frame, for dense tables. */
  variant?: 'framed' | 'plain'
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

/** A status as colour, icon and text. */
export function StatusBadge({
  tone,
  icon: Icon,
  label,
  motion,
  variant = 'framed',
  className,
}: StatusBadgeProps) {
  const framed = variant === 'framed'
  return (
    <span
      className={cn(
        'inline-flex items-center gap-1.5 whitespace-nowrap align-middle font-medium',
        framed ? ['h-6 rounded-full border px-2 text-xs', tones[tone]] : ['base:text-sm', inkOfTone[tone]],
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
