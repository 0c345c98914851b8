import { createContext, type ReactElement, type ReactNode, useContext, useState } from 'react'
import type { DialogPanelProps } from './dialog-panel'
import { onDemand, useOnDemand } from './on-demand'
import { withHandlers } from './with-handlers'

export const dialogPanel = onDemand(() => import('./dialog-panel'))

const CloseContext = createContext<() => void>(() => {})

interface DialogProps extends Omit<DialogPanelProps, 'children'> {
  /** The button that opens it. A dialog without one is open while it is rendered. */
  trigger?: ReactElement | undefined
  onClose?: (() => void) | undefined
  /** A function receives the function that closes the dialog. */
  children: ReactNode | ((close: () => void) => ReactNode)
}

/** A modal dialog. It traps the focus, restores it, and closes on Escape. */
export function Dialog({ trigger, onClose, children, ...panel }: DialogProps) {
  const { opener, open, button, hide } = useDialogTrigger(trigger)
  const loaded = useOnDemand(dialogPanel, open)
  const close = () => {
    hide()
    onClose?.()
  }
  return (
    <>
      {button}
      {loaded ? (
        // Around the footer too.
        <CloseContext value={close}>
          <loaded.DialogPanel {...panel} opener={opener} onClose={close}>
            {typeof children === 'function' ? children(close) : children}
          </loaded.DialogPanel>
        </CloseContext>
      ) : null}
    </>
  )
}

/** Whether a dialog is open, and the button that opens it. */
export function useDialogTrigger(trigger: ReactElement | undefined) {
  const [open, setOpen] = useState(!trigger)
  const [opener, setOpener] = useState<HTMLElement | null>(null)
  const button = trigger
    ? withHandlers(
        trigger,
        {
          onClick: ({ currentTarget }) => {
            setOpener(currentTarget)
            setOpen(true)
          },
        },
        { 'aria-haspopup': 'dialog', 'aria-expanded': open },
      )
    : null
  return { open, opener, button, hide: () => setOpen(false) }
}

/** Closes the dialog around it. Wraps a button. */
export function DialogClose({ children }: { children: ReactElement }) {
  return withHandlers(children, { onClick: useContext(CloseContext) })
}
