import { ChevronLeft, ChevronRight } from 'lucide-react'
import NextLink from 'next/link'
import type { ReactNode } from 'react'
import { buttonStyles } from './button'
import { cn } from './class-names'

interface PaginationProps {
  /** What is paged through, for screen readers: "Jobs". */
  label: string
  /** Left out on the first page. A cursor knows no page numbers, so there are none. */
  previousHref?: string | undefined
  /** Left out on the last page. */
  nextHref?: string | undefined
  /** At the start of the line: "50 jobs a page". */
  children?: ReactNode
}

/** Back and forth through a long list. The pages are links: they can be shared and opened in a tab. */
export function Pagination({ label, previousHref, nextHref, children }: PaginationProps) {
  return (
    <nav
      aria-label={`${label}: pages`}
      className="flex items-center justify-between gap-3 border-t px-4 py-2"
    >
      <div className="text-subtle text-xs">{children}</div>
      <div className="flex gap-1.5">
        <Step href={previousHref} rel="prev">
          <ChevronLeft aria-hidden />
          Newer
        </Step>
        <Step href={nextHref} rel="next">
          Older
          <ChevronRight aria-hidden />
        </Step>
      </div>
    </nav>
  )
}

function Step({
  href,
  rel,
  children,
}: {
  href: string | undefined
  rel: 'prev' | 'next'
  children: ReactNode
}) {
  const styles = buttonStyles({ size: 'sm' })
  if (href === undefined) {
    return (
      <span aria-hidden className={cn(styles, 'invisible')}>
        {children}
      </span>
    )
  }
  return (
    <NextLink href={href} rel={rel} className={styles}>
      {children}
    </NextLink>
  )
}
