import { Star } from 'lucide-react'
import type { JobSummary } from '@/lib/contract/jobs'
import { Badge } from '../../ui/badge'

/** A row of a list has space for so many. */
const shownTags = 2

interface JobLabelsProps {
  job: JobSummary
  /** False: the tags have a column of their own. */
  withTags: boolean
}

/** The star and the tags of a job in a list. */
export function JobLabels({ job: { starred, tags }, withTags }: JobLabelsProps) {
  return (
    <>
      {starred ? (
        <Star role="img" aria-label="Star" className="size-3.5 shrink-0 fill-current text-warning-ink" />
      ) : null}
      {withTags ? <TagBadges tags={tags} /> : null}
    </>
  )
}

/** The first tags, and how many more there are. Where space is short, tags give it to the name of the job. */
export function TagBadges({ tags }: { tags: readonly string[] }) {
  const hidden = tags.slice(shownTags)
  return (
    <>
      {tags.slice(0, shownTags).map((tag) => (
        <span key={tag} title={tag} className="flex min-w-8 max-w-24 shrink-1000">
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
