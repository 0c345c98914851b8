import { cn } from '../../ui/class-names'

/** The allocated share of a GPU as a bar. Text beside it gives the number. */
export function AllocationBar({ share, className }: { share: number; className?: string }) {
  return (
    <span aria-hidden className={cn('block h-1 overflow-hidden rounded-full bg-pressed', className)}>
      <span
        className="block h-full rounded-full bg-accent transition-[width] duration-300"
        style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }}
      />
    </span>
  )
}
