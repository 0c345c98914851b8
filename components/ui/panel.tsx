import type { ReactNode } from 'react'
import { cn } from './class-names'

/** A framed section of a page. */
export function Panel({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <section
      className={cn(
        'flex min-w-0 flex-col overflow-clip rounded-lg border bg-surface shadow-panel',
        className,
      )}
    >
      {children}
    </section>
  )
}

export interface PanelHeaderProps {
  title: ReactNode
  description?: ReactNode
  /** Buttons at the end of the line. */
  actions?: ReactNode
}

/** The title of a panel. */
export function PanelHeader({ title, description, actions }: PanelHeaderProps) {
  return (
    <header className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b px-4 py-2">
      {/* A single button stays beside the title, several stand below it where space is short. */}
      <div className="min-w-0 flex-1 basis-48">
        <h2 className="font-semibold text-ink text-sm">{title}</h2>
        {description ? <p className="text-muted text-xs">{description}</p> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-1.5">{actions}</div> : null}
    </header>
  )
}

/** The content of a panel with the usual padding. Tables and editors need none. */
export function PanelBody({ className, children }: { className?: string; children: ReactNode }) {
  return <div className={cn('p-4', className)}>{children}</div>
}

/** The last line of a panel: submit buttons or a note. */
export function PanelFooter({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <footer
      className={cn(
        'mt-auto flex flex-wrap items-center justify-end gap-2 border-t bg-sunken px-4 py-2.5',
        className,
      )}
    >
      {children}
    </footer>
  )
}
