'use client'

import { createContext, use } from 'react'

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

/** What a control takes from the field around it: its id, what describes it, whether it is wrong. Own values win. */
export function useFieldControl(own: ControlProps): ControlProps {
  const field = use(FieldContext)
  return {
    id: own.id ?? field?.controlId,
    'aria-describedby': own['aria-describedby'] ?? field?.describedBy,
    'aria-invalid': own['aria-invalid'] ?? (field?.invalid || undefined),
    'aria-required': own['aria-required'] ?? (field?.required || undefined),
  }
}
