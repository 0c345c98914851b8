import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from './class-names'
import { dialogOverlay, dialogPanel } from './dialog-styles'
import { useFocusReturn } from './use-focus-return'

export interface DialogPanelProps {
  title: ReactNode
  description?: ReactNode
  /** Buttons that stay visible while the body scrolls. */
  footer?: ReactNode
  children: ReactNode
}

interface OpenDialogProps extends DialogPanelProps {
  /** The element that gets the focus at the end; null: the one that had it at the start. */
  opener: HTMLElement | null
  onClose: () => void
}

/** An open modal dialog. */
export function DialogPanel({ title, description, footer, opener, onClose, children }: OpenDialogProps) {
  const focusReturn = useFocusReturn(opener)
  return (
    <Radix.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className={dialogOverlay} />
        <Radix.Content
          className={cn(dialogPanel, 'max-w-lg')}
          {...focusReturn}
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
