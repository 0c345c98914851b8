'use client'

import { Button } from '../ui/button'
import { Callout } from '../ui/callout'

interface LoadFailureProps {
  error: Error
  onRetry: () => void
  className?: string
}

/** Shown in place of content that failed to load. */
export function LoadFailure({ error, onRetry, className }: LoadFailureProps) {
  return (
    <Callout
      tone="danger"
      announce
      title="Loading failed"
      action={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
      {...(className ? { className } : {})}
    >
      {error.message}
    </Callout>
  )
}
