import type { ReactNode } from 'react'
import { Brand } from '../shell/brand'

interface AuthLayoutProps {
  title: string
  children: ReactNode
  /** A line under the form. */
  note?: ReactNode
}

/** The layout of pages for users who are not signed in. */
export function AuthLayout({ title, children, note }: AuthLayoutProps) {
  return (
    <main id="main" tabIndex={-1} className="flex min-h-dvh flex-col items-center px-4 pt-[14dvh] pb-12">
      <div className="w-full max-w-sm">
        <Brand href="/" />
        <h1 className="mt-6 mb-5 font-semibold text-2xl text-ink tracking-tight">{title}</h1>
        {children}
        {note ? <p className="mt-6 text-muted text-sm">{note}</p> : null}
      </div>
    </main>
  )
}
