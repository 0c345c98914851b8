import type { ReactElement } from 'react'
import type { ConfirmPanelProps } from './confirm-panel'
import { useDialogTrigger } from './dialog'
import { onDemand, useOnDemand } from './on-demand'

export const confirmPanel = onDemand(() => import('./confirm-panel'))

interface ConfirmDialogProps extends ConfirmPanelProps {
  /** The button that opens it. A dialog without one is open while it is rendered. */
  trigger?: ReactElement
  onClose?: () => void
}

/** Asks before an action that cannot be undone. The focus starts on the button that cancels. */
export function ConfirmDialog({ trigger, onClose, ...panel }: ConfirmDialogProps) {
  const { opener, open, button, hide } = useDialogTrigger(trigger)
  const loaded = useOnDemand(confirmPanel, open)
  const close = () => {
    hide()
    onClose?.()
  }
  return (
    <>
      {button}
      {loaded ? <loaded.ConfirmPanel {...panel} opener={opener} onClose={close} /> : null}
    </>
  )
}
