import { Spinner } from '../ui/spinner'

/** Shown if the data may be stale. The element always exists, so that screen readers announce a change. */
export function Reconnecting({ lost }: { lost: boolean }) {
  return (
    <p role="status" className="flex items-center gap-1.5 text-warning-ink text-xs">
      {lost ? (
        <>
          <Spinner className="size-3.5" />
          Connection lost. Reconnecting…
        </>
      ) : null}
    </p>
  )
}
