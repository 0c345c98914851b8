import { cn } from './class-names'

/** A placeholder of the final size while content loads. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={cn('block animate-pulse-soft bg-pressed base:h-4 base:rounded-sm', className)}
    />
  )
}

/** Placeholder rows of a list. */
export function SkeletonRows({ rows }: { rows: number }) {
  const widths = ['w-2/5', 'w-1/3', 'w-1/2']
  return (
    <div role="status">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <div key={row} className="flex h-10 items-center gap-6 border-b px-4 last:border-b-0">
          <Skeleton className={cn('h-3', widths[row % widths.length])} />
          <Skeleton className="ml-auto h-3 w-16" />
          <Skeleton className="h-3 w-24" />
        </div>
      ))}
    </div>
  )
}
