import { cloneElement, type DOMAttributes, type ReactElement } from 'react'

type Handlers = Pick<
  DOMAttributes<HTMLElement>,
  'onBlur' | 'onClick' | 'onFocus' | 'onKeyDown' | 'onPointerDown' | 'onPointerEnter' | 'onPointerLeave'
>

/** The element with more event handlers. They run after its own ones, unless these prevented the event's default. */
export function withHandlers(
  element: ReactElement,
  handlers: Handlers,
  props: Record<string, unknown> = {},
): ReactElement {
  const own = element.props as Record<string, unknown>
  const composed = Object.entries(handlers).map(([name, handle]) => {
    const first = own[name]
    const both = (event: Event) => {
      if (typeof first === 'function') first(event)
      if (!event.defaultPrevented) (handle as unknown as (event: Event) => void)(event)
    }
    return [name, both]
  })
  return cloneElement(element as ReactElement<Record<string, unknown>>, {
    ...props,
    ...Object.fromEntries(composed),
  })
}
