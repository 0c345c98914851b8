import { Pencil } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { IconButton } from '../../ui/icon-button'
import { reportMissingPart } from '../../ui/missing-part'
import { Textarea } from '../../ui/textarea'

interface NoteEditorProps {
  note: string | null
  /** What the note can say. */
  placeholder: string
  editing: boolean
  onEditing: (editing: boolean) => void
  /** Stores the note, and reports whether it is stored. */
  onSave: (note: string | null) => Promise<boolean>
}

/** The note of a job or a group, edited in place. Nothing is shown if it has none. */
export function NoteEditor(props: NoteEditorProps) {
  const { note, editing, onEditing } = props
  if (editing) return <NoteForm {...props} />
  if (note === null) return null
  return (
    <section aria-label="Note" className="mt-2 flex items-start gap-2 border-t pt-2">
      <p className="max-h-40 min-w-0 flex-1 overflow-y-auto whitespace-pre-wrap wrap-anywhere text-ink text-sm">
        {note}
      </p>
      <IconButton icon={Pencil} size="sm" label="Edit note" onClick={() => onEditing(true)} />
    </section>
  )
}

function NoteForm({ note, placeholder, onEditing, onSave }: NoteEditorProps) {
  const [saving, setSaving] = useState(false)
  const [text, setText] = useState(note ?? '')
  const onDone = () => onEditing(false)
  const [problem, setProblem] = useState<string | null>(null)
  const save = async () => {
    const schemas = await import('@/lib/contract/job-queries').catch(() => null)
    if (schemas === null) return reportMissingPart()
    const parsed = schemas.noteSchema.safeParse(text)
    if (!parsed.success) return setProblem(`A note ${parsed.error.issues[0]?.message}.`)
    setSaving(true)
    const isSaved = await onSave(parsed.data === '' ? null : parsed.data)
    setSaving(false)
    if (isSaved) onDone()
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
        placeholder={placeholder}
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
