import { ChevronLeft, ChevronRight } from 'lucide-react'
import NextLink from 'next/link'
import type { ReactNode } from 'react'
import { buttonStyles } from './button'
import { cn } from './class-names'

interface PaginationProps {
  /** The list's name for screen readers: "Jobs". */
  label: string
  /** Missing on the first page. Cursors have no page numbers. */
  previousHref?: string | undefined
  /** Missing on the last page. */
  nextHref?: string | undefined
}

/** Links to the previous and the next page of a long list. Links can be shared and opened in a tab. */
export function Pagination({ label, previousHref, nextHref }: PaginationProps) {
  return (
    <nav aria-label={`${label}: pages`} className="flex items-center justify-end gap-1.5 border-t px-4 py-2">
      <Step href={previousHref} rel="prev">
        <ChevronLeft aria-hidden />
        Previous
      </Step>
      <Step href={nextHref} rel="next">
        Next
        <ChevronRight aria-hidden />
      </Step>
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
