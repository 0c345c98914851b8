'use client'

import { AlertDialog as Radix } from 'radix-ui'
import { type ReactElement, type ReactNode, useState } from 'react'
import { Button } from './button'
import { Callout } from './callout'
import { cn } from './class-names'
import { dialogOverlay, dialogPanel, dialogWidths } from './dialog-styles'

interface ConfirmDialogProps {
  /** A question: "Cancel this job?" */
  title: ReactNode
  /** What will happen, and whether it can be undone. */
  description: ReactNode
  /** The verb of the question, never "OK". */
  confirmLabel: string
  /** The way out, in the words of the question where "Cancel" would be ambiguous. */
  keepLabel?: string
  tone?: 'primary' | 'danger'
  trigger?: ReactElement
  open?: boolean
  onOpenChange?: (open: boolean) => void
  /** May return a promise: the window stays open until it is kept. What it throws is shown inside. */
  onConfirm: () => unknown
  children?: ReactNode
}

/** Asks before something that cannot be taken back. The focus starts on the way out. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, description, confirmLabel, keepLabel = 'Cancel', tone = 'danger', trigger, children } = props
  const [ownOpen, setOwnOpen] = useState(false)
  const [working, setWorking] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)

  const setOpen = (open: boolean) => {
    setOwnOpen(open)
    if (open) setFailure(null)
    props.onOpenChange?.(open)
  }
  const confirm = async () => {
    setWorking(true)
    setFailure(null)
    try {
      await props.onConfirm()
      setOpen(false)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : 'It did not work. Try again.')
    } finally {
      setWorking(false)
    }
  }
  return (
    <Radix.Root open={props.open ?? ownOpen} onOpenChange={setOpen}>
      {trigger ? <Radix.Trigger asChild>{trigger}</Radix.Trigger> : null}
      <Radix.Portal>
        <Radix.Overlay className={dialogOverlay} />
        <Radix.Content className={cn(dialogPanel, dialogWidths.sm, 'max-w-md')}>
          <div className="flex flex-col gap-2 overflow-y-auto p-5">
            <Radix.Title className="font-semibold text-ink text-lg">{title}</Radix.Title>
            <Radix.Description className="text-muted text-sm">{description}</Radix.Description>
            {children}
            <div aria-live="assertive">{failure ? <Callout tone="danger">{failure}</Callout> : null}</div>
          </div>
          <footer className="flex flex-wrap justify-end gap-2 border-t bg-sunken px-5 py-3">
            <Radix.Cancel asChild>
              <Button>{keepLabel}</Button>
            </Radix.Cancel>
            <Button variant={tone} loading={working} onClick={confirm}>
              {confirmLabel}
            </Button>
          </footer>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
