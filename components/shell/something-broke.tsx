'use client'

import { Unplug } from 'lucide-react'
import { Button } from '../ui/button'
import { ButtonLink } from '../ui/button-link'
import { EmptyState } from '../ui/empty-state'

export interface SomethingBrokeProps {
  error: Error & { digest?: string }
  reset: () => void
}

/** Stands where a page failed. The digest finds it in the server's log. */
export function SomethingBroke({ error, reset }: SomethingBrokeProps) {
  return (
    <>
      <h1 className="sr-only">Error</h1>
      <EmptyState
        icon={Unplug}
        title="This page broke"
        className="py-24"
        action={
          <>
            <Button variant="primary" onClick={reset}>
              Try again
            </Button>
            <ButtonLink href="/jobs">Go to the jobs</ButtonLink>
          </>
        }
      >
        The fault is gpuq’s. Nothing you submitted is lost.
        {error.digest ? (
          <>
            {' '}
            If it stays, tell your admin this reference: <code className="font-mono">{error.digest}</code>
          </>
        ) : null}
      </EmptyState>
    </>
  )
}
