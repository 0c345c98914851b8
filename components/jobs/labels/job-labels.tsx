import { Star } from 'lucide-react'
import type { JobSummary } from '@/lib/contract/jobs'
import { Badge } from '../../ui/badge'

/** A row of a list has space for so many. */
const shownTags = 2

/** The star and the tags of a job in a list. */
export function JobLabels({ job: { starred, tags } }: { job: JobSummary }) {
  const hidden = tags.slice(shownTags)
  return (
    <>
      {starred ? (
        <Star role="img" aria-label="Star" className="size-3.5 shrink-0 fill-current text-warning-ink" />
      ) : null}
      {tags.slice(0, shownTags).map((tag) => (
        <span key={tag} title={tag} className="flex min-w-8 max-w-24">
          <Badge>{tag}</Badge>
        </span>
      ))}
      {hidden.length > 0 ? (
        <span title={hidden.join(', ')} className="shrink-0 text-subtle text-xs">
          +{hidden.length}
        </span>
      ) : null}
    </>
  )
}
