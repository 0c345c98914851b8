import { useState } from 'react'
import { tagSchema } from '@/lib/contract/job-queries'
import type { JobSummary } from '@/lib/contract/jobs'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Dialog } from '../../ui/dialog'
import { formatCount } from '../../ui/format-number'
import { Input } from '../../ui/input'
import { addTag, removeTag, type useBulkChange } from './bulk-changes'

interface TagDialogProps {
  jobs: readonly JobSummary[]
  run: ReturnType<typeof useBulkChange>['run']
  onClose: () => void
}

/** Gives several jobs a tag, or takes it away. */
export function TagDialog({ jobs, run, onClose }: TagDialogProps) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const change = async (toChange: typeof addTag) => {
    const parsed = tagSchema.safeParse(text)
    if (!parsed.success) return setProblem(`A tag ${parsed.error.issues[0]?.message}.`)
    onClose()
    await run(jobs, toChange(parsed.data))
  }
  return (
    <Dialog title={`Tag ${formatCount(jobs.length, 'job')}`} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void change(addTag)
        }}
      >
        <Input
          autoFocus
          aria-label="Tag"
          placeholder="baseline"
          autoCapitalize="none"
          autoComplete="off"
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setProblem(null)
          }}
        />
        <div aria-live="polite">{problem ? <Callout tone="danger">{problem}</Callout> : null}</div>
        <div className="flex justify-end gap-2">
          <Button onClick={() => void change(removeTag)}>Remove tag</Button>
          <Button type="submit" variant="primary">
            Add tag
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
