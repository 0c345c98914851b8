import type { ReactNode } from 'react'
import { cn } from './class-names'

/** A keyboard key. */
export function Kbd({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <kbd
      className={cn(
        'inline-flex h-5 min-w-5 items-center justify-center rounded-sm border px-1 base:border-line-strong base:bg-sunken',
        'font-mono text-2xs base:text-muted',
        className,
      )}
    >
      {children}
    </kbd>
  )
}
