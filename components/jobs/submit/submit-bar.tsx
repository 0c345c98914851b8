'use client'

import { CircleCheck, Play, TriangleAlert } from 'lucide-react'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'

interface SubmitBarProps {
  /** How many things are to be mended first. */
  mistakes: number
  /** Nothing is wrong, but the program is not there yet. */
  unfinished: boolean
  /** What the server said, beyond what stands beside the lines. */
  failure: string | null
  working: boolean
  onSubmit: () => void
}

/** Says whether the job can be sent, and sends it. Stays in view however long the program is. */
export function SubmitBar({ mistakes, unfinished, failure, working, onSubmit }: SubmitBarProps) {
  return (
    <div className="sticky bottom-0 z-10 -mx-4 mt-5 flex flex-col gap-2 border-t bg-canvas px-4 py-3 sm:-mx-6 sm:px-6 lg:-mx-8 lg:px-8">
      {failure ? (
        <Callout tone="danger" announce>
          {failure}
        </Callout>
      ) : null}
      <div className="flex items-center justify-between gap-3">
        <p role="status" className="flex min-w-0 items-center gap-1.5 text-muted text-sm">
          {failure ? null : <Readiness mistakes={mistakes} unfinished={unfinished} />}
        </p>
        <Button
          variant="primary"
          size="lg"
          loading={working}
          onClick={onSubmit}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          <Play aria-hidden />
          Submit the job
        </Button>
      </div>
    </div>
  )
}

function Readiness({ mistakes, unfinished }: Pick<SubmitBarProps, 'mistakes' | 'unfinished'>) {
  if (mistakes > 0) {
    return (
      <>
        <TriangleAlert aria-hidden className="size-4 shrink-0 text-danger-ink" />
        {mistakes === 1 ? 'One thing' : `${mistakes} things`} to mend before it can be sent
      </>
    )
  }
  if (unfinished) return 'Drop or write a program to begin'
  return (
    <>
      <CircleCheck aria-hidden className="size-4 shrink-0 text-success-ink" />
      Ready to send
    </>
  )
}
