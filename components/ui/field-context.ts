import { createContext, use } from 'react'

/** What a control and its field need from a form: the hook of the form makes one for each of its fields. */
export interface FieldBinding<Value> {
  id?: string | undefined
  name?: string | undefined
  value: Value
  error?: string | undefined
  // A method: a form with more fields can be passed where a form with fewer is expected.
  onChange(value: Value): void
}

interface FieldState {
  controlId: string
  describedBy: string | undefined
  invalid: boolean
  required: boolean
}

export const FieldContext = createContext<FieldState | null>(null)

interface ControlProps {
  id?: string | undefined
  'aria-describedby'?: string | undefined
  'aria-invalid'?: boolean | 'true' | 'false' | 'grammar' | 'spelling' | undefined
  'aria-required'?: boolean | 'true' | 'false' | undefined
}

/** The id, description and validity that a control takes from the field around it. Its own props win. */
export function useFieldControl(own: ControlProps): ControlProps {
  const field = use(FieldContext)
  return {
    id: own.id ?? field?.controlId,
    'aria-describedby': own['aria-describedby'] ?? field?.describedBy,
    'aria-invalid': own['aria-invalid'] ?? (field?.invalid || undefined),
    'aria-required': own['aria-required'] ?? (field?.required || undefined),
  }
}
