import type { ReactNode } from 'react'
import { cn } from './class-names'
import { CopyButton } from './copy-button'
import { ScrollRegion } from './scroll-region'

interface CodeBlockProps {
  code: string
  /** The name for screen readers and the copy button: "curl command". */
  label: string
  /** Shown above, such as a file name. */
  title: ReactNode
  wrap?: boolean
  className?: string
}

/** Code or a command with a copy button. */
export function CodeBlock({ code, label, title, wrap = false, className }: CodeBlockProps) {
  return (
    <figure className={cn('min-w-0 overflow-hidden rounded-lg border bg-sunken', className)}>
      <figcaption className="flex h-9 items-center justify-between border-b pr-1 pl-3 text-muted text-xs">
        <span className="min-w-0 truncate font-mono">{title}</span>
        <CopyButton text={code} label={`Copy ${label}`} />
      </figcaption>
      <ScrollRegion aria-label={label} className="overflow-x-auto focus-visible:-outline-offset-2">
        <pre
          className={cn(
            'p-3 font-mono text-ink text-xs leading-5',
            wrap && 'whitespace-pre-wrap break-words',
          )}
        >
          <code>{code}</code>
        </pre>
      </ScrollRegion>
    </figure>
  )
}
