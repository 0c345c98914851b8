import { LoaderCircle } from 'lucide-react'
import { cn } from './class-names'

/** A spinner. Needs a label if no other text describes the activity. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  return (
    <>
      <LoaderCircle aria-hidden className={cn('size-4 shrink-0 animate-spin text-current', className)} />
      {label ? <span className="sr-only">{label}</span> : null}
    </>
  )
}
