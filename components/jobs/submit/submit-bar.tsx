import { CircleCheck, Play, TriangleAlert } from 'lucide-react'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { formatCount } from '../../ui/format-number'

interface SubmitBarProps {
  /** The number of problems to fix first. */
  problems: number
  /** The draft has no problem but is incomplete. */
  unfinished: boolean
  /** An error of the server that belongs to no line. */
  error: string | null
  submitting: boolean
  onSubmit: () => void
}

/** Shows whether the draft is ready, and submits it. Always visible. */
export function SubmitBar({ problems, unfinished, error, submitting, onSubmit }: SubmitBarProps) {
  return (
    <div className="sticky bottom-0 z-10 -mx-4 mt-5 flex flex-col gap-2 border-t bg-canvas px-4 py-3 sm:-mx-6 sm:px-6 lg:-mx-8 lg:px-8">
      {error ? (
        <Callout tone="danger" announce>
          {error}
        </Callout>
      ) : null}
      <div className="flex items-center justify-between gap-3">
        <p role="status" className="flex min-w-0 items-center gap-1.5 text-muted text-sm">
          {error ? null : <Readiness problems={problems} unfinished={unfinished} />}
        </p>
        <Button
          variant="primary"
          size="lg"
          loading={submitting}
          onClick={onSubmit}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          <Play aria-hidden />
          Submit job
        </Button>
      </div>
    </div>
  )
}

function Readiness({ problems, unfinished }: Pick<SubmitBarProps, 'problems' | 'unfinished'>) {
  if (problems > 0) {
    return (
      <>
        <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger-ink" />
        {formatCount(problems, 'problem')} to fix
      </>
    )
  }
  if (unfinished) return 'Add a program to begin'
  return (
    <>
      <CircleCheck aria-hidden className="size-4 shrink-0 text-success-ink" />
      Ready to submit
    </>
  )
}
