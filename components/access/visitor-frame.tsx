'use client'

import type { ReactNode } from 'react'
import { Brand } from '../shell/brand'
import { ButtonLink } from '../ui/button-link'
import { ThemeToggle } from '../ui/theme-toggle'

interface VisitorFrameProps {
  /** Where the name of the site leads. */
  home: string
  /** Where people are after they have signed in; absent: at their jobs. */
  next?: string
  children: ReactNode
}

/** The frame of a page that is also for readers who are not signed in. */
export function VisitorFrame({ home, next, children }: VisitorFrameProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b bg-canvas px-4 sm:px-6 lg:px-8">
        <div className="flex-1">
          <Brand href={home} />
        </div>
        <ThemeToggle />
        <ButtonLink href={next ? `/sign-in?next=${encodeURIComponent(next)}` : '/sign-in'} size="sm">
          Sign in
        </ButtonLink>
      </header>
      <main id="main" tabIndex={-1} className="mx-auto w-full max-w-7xl flex-1 px-4 py-6 sm:px-6 lg:px-8">
        {children}
      </main>
    </div>
  )
}
