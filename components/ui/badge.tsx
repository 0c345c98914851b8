import type { ReactNode } from 'react'
import { cn } from './class-names'
import { type Tone, tones } from './tones'

interface BadgeProps {
  tone?: Tone
  /** For ids and other literal values. */
  mono?: boolean
  className?: string
  children: ReactNode
}

/** A short fact about the thing beside it: a role, a tag, "simulated". */
export function Badge({ tone = 'neutral', mono = false, className, children }: BadgeProps) {
  return (
    <span
      className={cn(
        'inline-flex h-5 max-w-full items-center gap-1 rounded-sm border px-1.5 font-medium text-2xs',
        tones[tone],
        mono && 'font-mono font-normal',
        className,
      )}
    >
      <span className="min-w-0 truncate">{children}</span>
    </span>
  )
}
