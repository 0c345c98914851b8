import { AlertDialog as Radix } from 'radix-ui'
import { type ReactElement, type ReactNode, useState } from 'react'
import { Button } from './button'
import { Callout } from './callout'
import { cn } from './class-names'
import { dialogOverlay, dialogPanel } from './dialog'

interface ConfirmDialogProps {
  /** A question: "Cancel this job?" */
  title: ReactNode
  /** What will happen, and whether it can be undone. */
  description: ReactNode
  /** The verb of the question, never "OK". */
  confirmLabel: string
  /** Replaces "Cancel" where that word would be ambiguous. */
  keepLabel?: string
  tone?: 'primary' | 'danger'
  /** The button that opens it. A dialog without one is open while it is rendered. */
  trigger?: ReactElement
  onClose?: () => void
  /** The dialog stays open until the promise resolves. It shows an error that is thrown. */
  onConfirm: () => unknown
}

/** Asks before an action that cannot be undone. The focus starts on the button that cancels. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, confirmLabel, keepLabel = 'Cancel', tone = 'danger', trigger } = props
  const [open, setOpen] = useState(!trigger)
  const [submitting, setSubmitting] = useState(false)
  const [error, setError] = useState<string | null>(null)

  const changeOpen = (next: boolean) => {
    setOpen(next)
    setError(null)
    if (!next) props.onClose?.()
  }
  const confirm = async () => {
    setSubmitting(true)
    setError(null)
    try {
      await props.onConfirm()
      changeOpen(false)
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : 'The request failed. Try again.')
    } finally {
      setSubmitting(false)
    }
  }
  return (
    <Radix.Root open={open} onOpenChange={changeOpen}>
      {trigger ? <Radix.Trigger asChild>{trigger}</Radix.Trigger> : null}
      <Radix.Portal>
        <Radix.Overlay className={dialogOverlay} />
        <Radix.Content className={cn(dialogPanel, 'max-w-md')}>
          <div className="flex flex-col gap-2 overflow-y-auto p-5">
            <Radix.Title className="font-semibold text-ink text-lg">{title}</Radix.Title>
            <Radix.Description className="text-muted text-sm">{description}</Radix.Description>
            <div aria-live="assertive">{error ? <Callout tone="danger">{error}</Callout> : null}</div>
          </div>
          <footer className="flex flex-wrap justify-end gap-2 border-t bg-sunken px-5 py-3">
            <Radix.Cancel asChild>
              <Button>{keepLabel}</Button>
            </Radix.Cancel>
            <Button variant={tone} loading={submitting} onClick={confirm}>
              {confirmLabel}
            </Button>
          </footer>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
