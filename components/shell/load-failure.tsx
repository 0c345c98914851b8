'use client'

import { Button } from '../ui/button'
import { Callout } from '../ui/callout'

interface LoadFailureProps {
  error: Error
  /** Asks again. */
  onRetry: () => void
  className?: string
}

/** Stands where something could not be loaded. */
export function LoadFailure({ error, onRetry, className }: LoadFailureProps) {
  return (
    <Callout
      tone="danger"
      announce
      title="This could not be loaded"
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
