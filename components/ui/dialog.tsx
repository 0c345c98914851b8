'use client'

import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactElement, type ReactNode, useRef } from 'react'
import { cn } from './class-names'
import { dialogOverlay, dialogPanel } from './dialog-styles'

interface DialogProps {
  title: ReactNode
  description?: ReactNode
  /** The button that opens it. Not needed with `open`. */
  trigger?: ReactElement
  open?: boolean
  onOpenChange?: (open: boolean) => void
  /** Buttons that stay visible while the body scrolls. */
  footer?: ReactNode
  children: ReactNode
}

/** A modal dialog. It traps the focus, restores it, and closes on Escape. */
export function Dialog({ title, description, trigger, footer, children, ...root }: DialogProps) {
  // Radix restores the focus only to its own trigger. A dialog without one restores it to the element that had it.
  const opener = useRef<Element | null>(null)
  const restoreFocus = (event: Event) => {
    if (trigger || !(opener.current instanceof HTMLElement)) return
    event.preventDefault()
    opener.current.focus()
  }
  return (
    <Radix.Root {...root}>
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
          <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-5">{children}</div>
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
