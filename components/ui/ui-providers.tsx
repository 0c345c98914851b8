'use client'

import { ThemeProvider } from 'next-themes'
import { type ReactNode, useEffect } from 'react'
import { MissingPartNotice } from './missing-part'
import { Toaster } from './toaster'

interface UiProvidersProps {
  /** The nonce of the Content-Security-Policy, for the script that sets the theme before the first paint. */
  nonce?: string
  children: ReactNode
}

/** The providers that components in this folder need. */
export function UiProviders({ nonce, children }: UiProvidersProps) {
  return (
    <ThemeProvider
      attribute="class"
      defaultTheme="system"
      disableTransitionOnChange
      {...(nonce ? { nonce } : {})}
    >
      {children}
      <Toaster />
      <MissingPartNotice />
      <HydrationMarker />
    </ThemeProvider>
  )
}

/**
 * Marks the page as hydrated (`<html data-hydrated>`): it responds to clicks and keys a moment after it is visible. For
 * browser tests. Rendered last, after all other components have attached their listeners.
 */
function HydrationMarker() {
  useEffect(() => {
    document.documentElement.dataset.hydrated = ''
  }, [])
  return null
}
