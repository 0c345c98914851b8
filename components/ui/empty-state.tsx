import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './class-names'

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** What to do next. */
  children?: ReactNode
  /** A button for the next step. */
  action?: ReactNode
  className?: string
}

/** Shown in place of an empty list. */
export function EmptyState({ icon: Icon, title, children, action, className }: EmptyStateProps) {
  return (
    <div className={cn('flex flex-col items-center px-6 text-center base:py-12', className)}>
      <span className="mb-3 grid size-10 place-items-center rounded-lg border bg-sunken text-subtle">
        <Icon aria-hidden className="size-5" />
      </span>
      <p className="font-medium text-base text-ink">{title}</p>
      {children ? <div className="mt-1 max-w-md text-balance text-muted text-sm">{children}</div> : null}
      {action ? <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div> : null}
    </div>
  )
}
