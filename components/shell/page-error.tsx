import { Unplug } from 'lucide-react'
import { Button } from '../ui/button'
import { ButtonLink } from '../ui/button-link'
import { EmptyState } from '../ui/empty-state'

export interface PageErrorProps {
  error: Error & { digest?: string }
  reset: () => void
}

/** Shown if a page failed. The digest identifies the error in the server's log. */
export function PageError({ error, reset }: PageErrorProps) {
  return (
    <>
      <h1 className="sr-only">Error</h1>
      <EmptyState
        icon={Unplug}
        title="Something went wrong"
        className="py-24"
        action={
          <>
            <Button variant="primary" onClick={reset}>
              Try again
            </Button>
            <ButtonLink href="/jobs">Go to jobs</ButtonLink>
          </>
        }
      >
        gpuq failed to show this page. Your jobs are not affected.
        {error.digest ? (
          <>
            {' '}
            If this happens again, give your admin this reference:{' '}
            <code className="font-mono">{error.digest}</code>
          </>
        ) : null}
      </EmptyState>
    </>
  )
}
