import { cn } from '../../ui/class-names'

/** How much of a GPU is given out, as a bar. The words stand beside it. */
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
