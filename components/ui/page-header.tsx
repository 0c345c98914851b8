'use client'

import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from './link'
import { useHeadingFocus } from './use-heading-focus'

interface PageHeaderProps {
  title: ReactNode
  /** The breadcrumb: the parent pages, outermost first. */
  path?: readonly { label: ReactNode; href: string }[]
  description?: ReactNode
  /** A status or a badge beside the title. */
  meta?: ReactNode
  /** Buttons at the end of the line. */
  actions?: ReactNode
}

/** The top of a page: breadcrumb, title, description and actions. */
export function PageHeader({ title, path, description, meta, actions }: PageHeaderProps) {
  const heading = useHeadingFocus()
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3 pb-4 sm:pb-5">
      <div className="min-w-0">
        {path?.length ? (
          <nav aria-label="Breadcrumb">
            <ol className="mb-1 flex flex-wrap items-center gap-1 text-muted text-xs">
              {path.map((step, place) => (
                <li key={step.href} className="flex min-h-6 items-center gap-1">
                  <Link href={step.href} variant="quiet">
                    {step.label}
                  </Link>
                  {place < path.length - 1 ? (
                    <ChevronRight aria-hidden className="size-3 text-subtle" />
                  ) : null}
                </li>
              ))}
            </ol>
          </nav>
        ) : null}
        <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
          <h1
            ref={heading}
            tabIndex={-1}
            // A long name must not fill a small screen.
            className="min-w-0 wrap-anywhere rounded-sm font-semibold text-ink text-xl tracking-tight max-sm:line-clamp-3"
          >
            {title}
          </h1>
          {meta}
        </div>
        {description ? (
          <p className="mt-1 max-w-2xl wrap-anywhere text-muted text-sm">{description}</p>
        ) : null}
      </div>
      {actions ? (
        // Actions at the bottom of a narrow screen leave no gap here.
        <div className="flex flex-wrap items-center gap-2 max-sm:has-[>search]:w-full max-sm:has-[>[data-bottom-bar]]:contents">
          {actions}
        </div>
      ) : null}
    </header>
  )
}
