import type { ReactNode } from 'react'
import { cn } from './class-names'
import { CopyButton } from './copy-button'
import { ScrollRegion } from './scroll-region'

interface CodeBlockProps {
  code: string
  /** What it is, for screen readers and for the copy button: "curl command". */
  label: string
  /** A file's name, shown above. */
  title?: ReactNode
  /** More buttons beside the one that copies. */
  actions?: ReactNode
  wrap?: boolean
  className?: string
}

/** Code or a command to take along. */
export function CodeBlock({ code, label, title, actions, wrap = false, className }: CodeBlockProps) {
  const buttons = (
    <div className="flex items-center gap-0.5">
      {actions}
      <CopyButton text={code} label={`Copy ${label}`} />
    </div>
  )
  return (
    <figure className={cn('relative min-w-0 overflow-hidden rounded-lg border bg-sunken', className)}>
      {title ? (
        <figcaption className="flex h-9 items-center justify-between border-b pr-1 pl-3 text-muted text-xs">
          <span className="min-w-0 truncate font-mono">{title}</span>
          {buttons}
        </figcaption>
      ) : (
        <div className="absolute top-1 right-1 rounded-md bg-sunken">{buttons}</div>
      )}
      <ScrollRegion aria-label={label} className="overflow-x-auto focus-visible:-outline-offset-2">
        <pre
          className={cn(
            'p-3 font-mono text-ink text-xs leading-5',
            !title && 'pr-10',
            wrap && 'whitespace-pre-wrap break-words',
          )}
        >
          <code>{code}</code>
        </pre>
      </ScrollRegion>
    </figure>
  )
}
