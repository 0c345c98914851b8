import { Trophy } from 'lucide-react'

/** Marks the best value of a metric. */
export function BestMark() {
  return <Trophy role="img" aria-label="best" className="inline size-3.5 shrink-0 text-success-ink" />
}
