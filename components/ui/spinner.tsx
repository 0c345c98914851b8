import { LoaderCircle } from 'lucide-react'
import { cn } from './class-names'

/** A spinner. Needs a label if no other text describes the activity. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  return (
    <>
      <LoaderCircle aria-hidden className={cn('shrink-0 animate-spin base:size-4 text-current', className)} />
      {label ? <span className="sr-only">{label}</span> : null}
    </>
  )
}
