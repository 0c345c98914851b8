import { type ReactNode, useEffect, useRef } from 'react'

/** A part of the page that takes the focus when it appears, because the button that shows it goes away or is far above. */
export function FocusedGroup({ label, children }: { label: string; children: ReactNode }) {
  const group = useRef<HTMLDivElement>(null)
  useEffect(() => group.current?.focus(), [])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of a form
    <div ref={group} role="group" tabIndex={-1} aria-label={label} className="scroll-mt-16 rounded-lg">
      {children}
    </div>
  )
}
