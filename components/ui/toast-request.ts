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

export interface ToastListProps {
  /** Returns the toasts that are not shown yet, each once. */
  take: () => readonly ToastRequest[]
  /** How many toasts there were. A change means that some are not shown yet. */
  count: number
}
