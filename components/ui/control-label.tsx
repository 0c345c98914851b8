import type { ReactNode } from 'react'

export interface LabelProps {
  label: ReactNode
  description?: ReactNode
}

/** The id of the description, for the control's `aria-describedby`. */
export const descriptionIdOf = (controlId: string) => `${controlId}-description`

/** The label and description beside a checkbox or a switch. */
export function ControlLabel({ controlId, label, description }: LabelProps & { controlId: string }) {
  return (
    <span className="flex flex-col pt-0.5">
      <label htmlFor={controlId} className="text-ink text-sm">
        {label}
      </label>
      {description ? (
        <span id={descriptionIdOf(controlId)} className="text-subtle text-xs">
          {description}
        </span>
      ) : null}
    </span>
  )
}
