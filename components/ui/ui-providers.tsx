'use client'

import { ThemeProvider } from 'next-themes'
import type { ReactNode } from 'react'
import { LiveMark } from './live-mark'
import { Toaster } from './toaster'
import { TooltipProvider } from './tooltip'

interface UiProvidersProps {
  /** Of the page's Content-Security-Policy, for the small script that sets the theme before the first paint. */
  nonce?: string
  children: ReactNode
}

/** What the parts in this folder need around them, once. */
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
      <LiveMark />
    </ThemeProvider>
  )
}
