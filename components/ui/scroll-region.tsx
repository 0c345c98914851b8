import type { ComponentProps } from 'react'

/** Without the focus, a keyboard cannot scroll what the mouse wheel can. */
const focusable = { tabIndex: 0 }

/** A part of the page that scrolls by itself, by keyboard too. Its name is read out when it takes the focus. */
export function ScrollRegion({ children, ...rest }: ComponentProps<'section'> & { 'aria-label': string }) {
  return (
    <section {...focusable} {...rest}>
      {children}
    </section>
  )
}
