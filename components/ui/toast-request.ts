import type { ReactNode } from 'react'

export interface ToastOptions {
  description?: ReactNode
  /** Replaces an open toast with the same id. */
  id?: string
  action?: { label: string; onClick: () => void }
}

export interface ToastRequest {
  kind: 'success' | 'info' | 'error'
  title: string
  options: ToastOptions
}
