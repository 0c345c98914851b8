import { Pencil } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import type { JobDetail } from '@/lib/contract/jobs'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { IconButton } from '../../ui/icon-button'
import { reportMissingPart } from '../../ui/missing-part'
import { Textarea } from '../../ui/textarea'
import { useUpdateJob } from './use-update-job'

interface NoteEditorProps {
  job: JobDetail
  editing: boolean
  onEditing: (editing: boolean) => void
}

/** The note of a job, edited in place. Nothing is shown if it has none. */
export function NoteEditor({ job, editing, onEditing }: NoteEditorProps) {
  if (editing) return <NoteForm job={job} onDone={() => onEditing(false)} />
  if (job.note === null) return null
  return (
    <section aria-label="Note" className="mt-2 flex items-start gap-2 border-t pt-2">
      <p className="max-h-40 min-w-0 flex-1 overflow-y-auto whitespace-pre-wrap wrap-anywhere text-ink text-sm">
        {job.note}
      </p>
      <IconButton icon={Pencil} size="sm" label="Edit note" onClick={() => onEditing(true)} />
    </section>
  )
}

function NoteForm({ job, onDone }: { job: JobDetail; onDone: () => void }) {
  const { update, saving } = useUpdateJob(job.job_id)
  const [text, setText] = useState(job.note ?? '')
  const [problem, setProblem] = useState<string | null>(null)
  const save = async () => {
    const schemas = await import('@/lib/contract/job-queries').catch(() => null)
    if (schemas === null) return reportMissingPart()
    const parsed = schemas.noteSchema.safeParse(text)
    if (!parsed.success) return setProblem(`A note ${parsed.error.issues[0]?.message}.`)
    if (await update({ note: parsed.data === '' ? null : parsed.data })) onDone()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onDone()
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !saving) void save()
  }
  return (
    <form
      className="mt-2 flex flex-col gap-2 border-t pt-2"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Textarea
        autoFocus
        aria-label="Note"
        placeholder="What is this job about? What did you learn?"
        rows={3}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setProblem(null)
        }}
        onKeyDown={press}
      />
      <div aria-live="polite">{problem ? <Callout tone="danger">{problem}</Callout> : null}</div>
      <div className="flex gap-2">
        <Button type="submit" size="sm" variant="primary" loading={saving}>
          Save note
        </Button>
        <Button size="sm" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
