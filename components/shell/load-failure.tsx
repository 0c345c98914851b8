import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'

interface LoadFailureProps {
  error: Error
  onRetry: () => void
  className?: string | undefined
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
      className={className}
    >
      {error.message}
    </Callout>
  )
}

interface LoadedProps<Data> {
  query: UseQueryResult<Data>
  placeholder: ReactNode
  /** The class of the error message. */
  failureClass?: string
  children: (data: Data) => ReactNode
}

/** The content of a query, or its placeholder or error. A failed refresh does not hide the content. */
export function Loaded<Data>({ query, placeholder, failureClass, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error === null) return placeholder
  return <LoadFailure className={failureClass} error={query.error} onRetry={() => void query.refetch()} />
}
