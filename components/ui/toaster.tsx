import { type ComponentType, lazy, Suspense, useSyncExternalStore } from 'react'
import { reportMissingPart } from './missing-part'
import type { ToastListProps, ToastOptions, ToastRequest } from './toast-request'

/** Loaded with the first toast. */
const ToastList = lazy<ComponentType<ToastListProps>>(() =>
  import('./toast-list')
    .then((module) => ({ default: module.ToastList }))
    .catch(() => {
      reportMissingPart()
      return { default: () => null }
    }),
)

let waiting: ToastRequest[] = []
let count = 0
const listeners = new Set<() => void>()

function takeWaiting(): readonly ToastRequest[] {
  const taken = waiting
  waiting = []
  return taken
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const show =
  (kind: ToastRequest['kind']) =>
  (title: string, options: ToastOptions = {}): void => {
    waiting.push({ kind, title, options })
    count += 1
    for (const listener of listeners) listener()
  }

/** Shows a short message in a corner of the window. */
export const toast = { success: show('success'), info: show('info'), error: show('error') }

/** Shows a toast for a failed action, with the error's message. It replaces an open toast with the same id. */
export function toastError(title: string, error: unknown, id?: string): void {
  const description = error instanceof Error ? error.message : undefined
  toast.error(title, { description, ...(id === undefined ? {} : { id }) })
}

/** The callbacks of a mutation that report its outcome. For actions without a form or a dialog. */
export function toastOutcome(message: string) {
  return {
    onSuccess: () => void toast.success(message),
    onError: (error: Error) => void toast.error(error.message),
  }
}

/** Shows the toasts. Rendered once for the whole site. */
export function Toaster() {
  const requested = useSyncExternalStore(
    subscribe,
    () => count,
    () => 0,
  )
  if (requested === 0) return null
  return (
    <Suspense>
      <ToastList take={takeWaiting} count={requested} />
    </Suspense>
  )
}
