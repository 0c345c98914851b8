import { AlertDialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { Button } from './button'
import { Callout } from './callout'
import { cn } from './class-names'
import { dialogOverlay, dialogPanel } from './dialog-styles'
import { useFocusReturn } from './use-focus-return'

export interface ConfirmPanelProps {
  /** A question: "Cancel this job?" */
  title: ReactNode
  /** What will happen, and whether it can be undone. */
  description: ReactNode
  /** The verb of the question, never "OK". */
  confirmLabel: string
  /** Replaces "Cancel" where that word would be ambiguous. */
  keepLabel?: string
  tone?: 'primary' | 'danger'
  /** The dialog stays open until the promise resolves. It shows an error that is thrown. */
  onConfirm: () => unknown
}

interface OpenConfirmProps extends ConfirmPanelProps {
  /** The element that gets the focus at the end; null: the one that had it at the start. */
  opener: HTMLElement | null
  onClose: () => void
}

/** The open question. The focus starts on the button that cancels. */
export function ConfirmPanel(props: OpenConfirmProps) {
  const { title, description, confirmLabel, keepLabel = 'Cancel', tone = 'danger', opener, onClose } = props
  const [submitting, setSubmitting] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const focusReturn = useFocusReturn(opener)
  const confirm = async () => {
    setSubmitting(true)
    setError(null)
    try {
      await props.onConfirm()
      onClose()
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown.message : 'The request failed. Try again.')
    } finally {
      setSubmitting(false)
    }
  }
  return (
    <Radix.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className={dialogOverlay} />
        <Radix.Content className={cn(dialogPanel, 'max-w-md')} {...focusReturn}>
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
