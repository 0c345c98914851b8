'use client'

import { Tooltip as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

/** Lets a second tooltip open at once after a first one. Stands once, around the whole site. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={400} skipDelayDuration={200}>
      {children}
    </Radix.Provider>
  )
}

interface TooltipProps {
  content: ReactNode
  /** The element it explains: it must take the focus, or keyboards cannot reach the tooltip. */
  children: ReactElement
  side?: 'top' | 'right' | 'bottom' | 'left'
}

/** A short explanation under the pointer or the focus. Never the only place where something is said. */
export function Tooltip({ content, children, side = 'top' }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-72 animate-fade-in rounded-md bg-ink px-2 py-1 text-canvas text-xs shadow-float"
        >
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
