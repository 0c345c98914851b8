import type { ReactNode } from 'react'
import { cn } from './class-names'

/** A description list of names and values. */
export function DataList({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <dl
      className={cn(
        'grid base:grid-cols-[repeat(auto-fill,minmax(8rem,1fr))] gap-x-5 gap-y-3 sm:base:grid-cols-[repeat(auto-fill,minmax(10rem,1fr))] sm:gap-x-6 sm:gap-y-4',
        className,
      )}
    >
      {children}
    </dl>
  )
}

/** One name and value. */
export function Datum({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-subtle text-xs">{label}</dt>
      <dd className="mt-0.5 min-w-0 break-words text-ink text-sm">{children}</dd>
    </div>
  )
}
