import type { ReactNode } from 'react'
import { Brand } from '../shell/brand'
import { cn } from '../ui/class-names'
import { SharedTime } from './shared-time'

interface SharedPageProps {
  expiresAt: string
  /** The class of the content. */
  className: string
  children: ReactNode
}

/** The frame of a page for people without an account. It leads to nothing that needs one. */
export function SharedPage({ expiresAt, className, children }: SharedPageProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-13 flex-wrap items-center justify-between gap-x-4 border-b px-4 sm:px-6">
        <Brand href="/" />
        <p className="text-muted text-xs">
          Read-only, until <SharedTime at={expiresAt} />
        </p>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className={cn('mx-auto flex w-full flex-1 flex-col px-4 py-6 sm:px-6', className)}
      >
        {children}
      </main>
    </div>
  )
}
