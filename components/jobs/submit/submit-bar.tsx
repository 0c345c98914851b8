import { CircleCheck, Play, TriangleAlert } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { Button } from '../../ui/button'
import { formatCount } from '../../ui/format-number'
import { useFooterHeight } from '../../ui/use-footer-height'
import { type UploadState, UploadStatus } from './directory/upload/upload-status'

interface SubmitBarProps {
  /** What the button says. */
  action: string
  /** The number of problems to fix first. */
  problems: number
  /** The number of warnings, which do not prevent the submission. */
  warnings: number
  /** What the user must still fill in. */
  missing: string | null
  /** Why the server has refused the draft, or would refuse it. */
  refusal: ReactNode
  /** Whether it would refuse the draft. */
  refused: boolean
  /** The draft was sent before, and no answer came. */
  retries: boolean
  submitting: boolean
  onSubmit: () => void
  /** The upload of the directory; null if none is in progress. */
  upload: UploadState | null
  onCancelUpload: () => void
}

/** Shows whether the draft is ready, and submits it. Always visible. */
export function SubmitBar(props: SubmitBarProps) {
  const { action, refusal, submitting, onSubmit, upload, onCancelUpload, ...readiness } = props
  const bar = useFooterHeight()
  const button = useRef<HTMLButtonElement>(null)
  const cancel = () => {
    // The button that cancels disappears with the upload.
    button.current?.focus()
    onCancelUpload()
  }
  return (
    <div
      ref={bar}
      className="-mx-4 -mb-4 sticky bottom-0 z-10 mt-auto flex flex-col gap-2 border-t bg-canvas px-4 py-3 sm:-mx-6 sm:-mb-6 sm:px-6 lg:-mx-8 lg:px-8"
    >
      {refusal}
      {upload === null ? null : <UploadStatus upload={upload} onCancel={cancel} />}
      <div className="flex items-center justify-between gap-3">
        <p role="status" className="flex min-w-0 items-center gap-1.5 text-muted text-sm">
          {submitting ? null : <Readiness {...readiness} />}
        </p>
        <Button
          ref={button}
          icon={Play}
          variant="primary"
          size="lg"
          loading={submitting}
          onClick={onSubmit}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          {action}
        </Button>
      </div>
    </div>
  )
}

function Readiness({
  problems,
  warnings,
  missing,
  refused,
  retries,
}: Pick<SubmitBarProps, 'problems' | 'warnings' | 'missing' | 'refused' | 'retries'>) {
  if (problems > 0) {
    return (
      <>
        <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger-ink" />
        {formatCount(problems, 'problem')} to fix
      </>
    )
  }
  if (missing !== null) return missing
  if (retries)
    return 'The last try got no answer. Submit again: if the job exists already, it is not created twice.'
  if (refused) return 'Not ready to submit'
  return (
    <>
      <CircleCheck aria-hidden className="size-4 shrink-0 text-success-ink" />
      Ready to submit{warnings > 0 ? `, with ${formatCount(warnings, 'warning')}` : ''}
    </>
  )
}
