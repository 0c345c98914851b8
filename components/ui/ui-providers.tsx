'use client'

import { ThemeProvider } from 'next-themes'
import type { ReactNode } from 'react'
import { HydrationMarker } from './hydration-marker'
import { Toaster } from './toaster'
import { TooltipProvider } from './tooltip'

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
      <TooltipProvider>{children}</TooltipProvider>
      <Toaster />
      <HydrationMarker />
    </ThemeProvider>
  )
}
