import { Check, Tag, X } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import type { JobDetail } from '@/lib/contract/jobs'
import { Badge } from '../../ui/badge'
import { IconButton } from '../../ui/icon-button'
import { Input } from '../../ui/input'
import { Link } from '../../ui/link'
import { reportMissingPart } from '../../ui/missing-part'
import { useUpdateJob } from './use-update-job'

interface JobTagsProps {
  job: JobDetail
  /** The list of jobs to which tags lead. */
  list: string
}

/** The tags of a job, edited in place. */
export function JobTags({ job, list }: JobTagsProps) {
  const [editing, setEditing] = useState(false)
  if (editing) return <TagEditor job={job} onDone={() => setEditing(false)} />
  return (
    <>
      {job.tags.map((tag) => (
        <Link key={tag} href={`${list}?${new URLSearchParams({ tag })}`} variant="quiet" className="max-w-48">
          <Badge>{tag}</Badge>
        </Link>
      ))}
      <IconButton icon={Tag} label="Edit tags" onClick={() => setEditing(true)} />
    </>
  )
}

/** Each change is stored at once. */
function TagEditor({ job: { job_id, tags }, onDone }: { job: JobDetail; onDone: () => void }) {
  const id = useId()
  const { update, saving } = useUpdateJob(job_id)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const add = async () => {
    const schemas = await import('@/lib/contract/job-queries').catch(() => null)
    if (schemas === null) return reportMissingPart()
    const parsed = schemas.tagSchema.safeParse(text)
    if (!parsed.success) return setProblem(`A tag ${parsed.error.issues[0]?.message}.`)
    if (await update({ tags: [...tags, parsed.data] })) setText('')
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onDone()
    else if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    else if (text === '') onDone()
    else if (!saving) void add()
    event.preventDefault()
  }
  return (
    <fieldset aria-label="Tags" className="flex min-w-0 flex-wrap items-center gap-1.5">
      {tags.map((tag) => (
        <span key={tag} className="flex max-w-48 items-center gap-0.5">
          <Badge>{tag}</Badge>
          <IconButton
            icon={X}
            size="sm"
            label={`Remove tag ${tag}`}
            onClick={() => void update({ tags: tags.filter((own) => own !== tag) })}
          />
        </span>
      ))}
      <div className="w-36">
        <Input
          autoFocus
          aria-label="New tag"
          aria-describedby={`${id}-problem`}
          aria-invalid={problem !== null || undefined}
          placeholder="New tag"
          autoCapitalize="none"
          autoComplete="off"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setProblem(null)
          }}
          onKeyDown={press}
          className="h-7"
        />
      </div>
      <IconButton icon={Check} label="Close the tags" onClick={onDone} />
      <span id={`${id}-problem`} role="status" className="text-danger-ink text-xs">
        {problem}
      </span>
    </fieldset>
  )
}
