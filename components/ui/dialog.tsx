import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactElement, type ReactNode, useRef, useState } from 'react'
import { cn } from './class-names'

/** The same z-index as the panel: a dialog that opens later also dims the dialog below it. */
export const dialogOverlay = 'fixed inset-0 z-50 animate-fade-in bg-scrim'

export const dialogPanel = [
  'fixed top-[max(1rem,12dvh)] left-1/2 z-50 flex max-h-[min(80dvh,52rem)] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col',
  'animate-fade-in overflow-hidden rounded-xl border bg-raised shadow-float outline-none',
].join(' ')

interface DialogProps {
  title: ReactNode
  description?: ReactNode
  /** The button that opens it. A dialog without one is open while it is rendered. */
  trigger?: ReactElement | undefined
  onClose?: (() => void) | undefined
  /** Buttons that stay visible while the body scrolls. */
  footer?: ReactNode
  /** A function receives the function that closes the dialog. */
  children: ReactNode | ((close: () => void) => ReactNode)
}

/** A modal dialog. It traps the focus, restores it, and closes on Escape. */
export function Dialog({ title, description, trigger, onClose, footer, children }: DialogProps) {
  const [open, setOpen] = useState(!trigger)
  const changeOpen = (next: boolean) => {
    setOpen(next)
    if (!next) onClose?.()
  }
  // Radix restores the focus only to its own trigger. A dialog without one restores it to the element that had it.
  const opener = useRef<Element | null>(null)
  const restoreFocus = (event: Event) => {
    if (trigger || !(opener.current instanceof HTMLElement)) return
    event.preventDefault()
    opener.current.focus()
  }
  return (
    <Radix.Root open={open} onOpenChange={changeOpen}>
      {trigger ? <Radix.Trigger asChild>{trigger}</Radix.Trigger> : null}
      <Radix.Portal>
        <Radix.Overlay className={dialogOverlay} />
        <Radix.Content
          className={cn(dialogPanel, 'max-w-lg')}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement
          }}
          onCloseAutoFocus={restoreFocus}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
            <div className="min-w-0">
              <Radix.Title className="font-semibold text-ink text-lg">{title}</Radix.Title>
              {description ? (
                <Radix.Description className="mt-0.5 text-muted text-sm">{description}</Radix.Description>
              ) : null}
            </div>
            <Radix.Close
              aria-label="Close"
              className="-mr-2 grid size-7 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
            >
              <X aria-hidden className="size-4" />
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-5">
            {typeof children === 'function' ? children(() => changeOpen(false)) : children}
          </div>
          {footer ? (
            <footer className="flex flex-wrap justify-end gap-2 border-t bg-sunken px-5 py-3">
              {footer}
            </footer>
          ) : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Closes the dialog around it. Wraps a button. */
export function DialogClose({ children }: { children: ReactElement }) {
  return <Radix.Close asChild>{children}</Radix.Close>
}
