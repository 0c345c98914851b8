import type { ComponentProps } from 'react'

/** The keyboard can scroll only focusable elements. */
const focusable = { tabIndex: 0 }

/** A scrollable section that the keyboard can reach. Screen readers announce its label. */
export function ScrollRegion({ children, ...rest }: ComponentProps<'section'> & { 'aria-label': string }) {
  return (
    <section {...focusable} {...rest}>
      {children}
    </section>
  )
}
