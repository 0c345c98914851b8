import { Spinner } from '../ui/spinner'

/** Says when what is shown may be old. It is there at every time, so that screen readers hear it change. */
export function Reconnecting({ lost }: { lost: boolean }) {
  return (
    <p role="status" className="flex items-center gap-1.5 text-warning-ink text-xs">
      {lost ? (
        <>
          <Spinner className="size-3.5" />
          Connection lost, trying again
        </>
      ) : null}
    </p>
  )
}
