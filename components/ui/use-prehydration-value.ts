import { type Ref, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef } from 'react'

type TextControl = HTMLInputElement | HTMLTextAreaElement

/**
 * For a controlled text input. A user or the browser's autofill may put text into the input before React hydrates the
 * page. React does not report it, and the next render would remove it. This hook fires the change event again.
 * @returns the `ref` of the input; the given `ref` receives the same element.
 */
export function usePrehydrationValue<Control extends TextControl>(
  value: unknown,
  ref: Ref<Control> | undefined,
): Ref<Control> {
  const control = useRef<Control>(null)
  useImperativeHandle<Control | null, Control | null>(ref, () => control.current)
  const reportText = useEffectEvent(() => {
    if (!control.current || typeof value !== 'string' || control.current.value === value) return
    fireChange(control.current, value)
  })
  // A later effect could run after a render that removes the text.
  useLayoutEffect(() => reportText(), [])
  return control
}

/** React ignores an event whose text it has seen last. So the rendered value goes in first, then the text without React. */
function fireChange(control: TextControl, rendered: string): void {
  const text = control.value
  control.value = rendered
  const prototype =
    control instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(control, text)
  control.dispatchEvent(new Event('input', { bubbles: true }))
}
