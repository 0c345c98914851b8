import { cn } from './class-names'

interface ProgressProps {
  /** What goes on, for screen readers. */
  label: string
  /** From 0 to 1; left out where nobody knows. */
  value?: number
  className?: string
}

/** How far something has come. */
export function Progress({ label, value, className }: ProgressProps) {
  const share = value === undefined ? undefined : Math.min(1, Math.max(0, value))
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={share === undefined ? undefined : Math.round(share * 100)}
      tabIndex={-1}
      className={cn('h-1.5 w-full overflow-hidden rounded-full bg-pressed', className)}
    >
      {share === undefined ? (
        <div className="h-full w-2/5 animate-slide-track rounded-full bg-accent motion-reduce:w-full motion-reduce:opacity-50" />
      ) : (
        <div
          className="h-full rounded-full bg-accent transition-[width] duration-200"
          style={{ width: `${share * 100}%` }}
        />
      )}
    </div>
  )
}
