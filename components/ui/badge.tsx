import type { ReactNode } from 'react'
import { cn } from './class-names'
import { type Tone, tones } from './tones'

interface BadgeProps {
  tone?: Tone
  children: ReactNode
}

/** A short label, such as a role, a tag or "simulated". */
export function Badge({ tone = 'neutral', children }: BadgeProps) {
  return (
    <span
      className={cn(
        'inline-flex h-5 max-w-full items-center gap-1 rounded-sm border px-1.5 font-medium text-2xs',
        tones[tone],
      )}
    >
      <span className="min-w-0 truncate">{children}</span>
    </span>
  )
}
