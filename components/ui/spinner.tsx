import { LoaderCircle } from 'lucide-react'
import { cn } from './class-names'

/** A turning circle. Give it a label where no other text says what is going on. */
export function Spinner({ label, className }: { label?: string; className?: string }) {
  return (
    <>
      <LoaderCircle aria-hidden className={cn('size-4 shrink-0 animate-spin text-current', className)} />
      {label ? <span className="sr-only">{label}</span> : null}
    </>
  )
}
