'use client'

import { type Ref, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef } from 'react'

type Box = HTMLInputElement | HTMLTextAreaElement

/**
 * For a box that shows the text of its owner. What was typed, or filled in by the browser, before React took the page
 * over stands in the box and its owner does not know of it: the next thing that is shown would wipe it out. So it is
 * said once more, as if it were typed now.
 * @returns the box's `ref`; `ref` is given the same.
 */
export function useTypedBefore<Own extends Box>(given: unknown, ref: Ref<Own> | undefined): Ref<Own> {
  const box = useRef<Own>(null)
  useImperativeHandle<Own | null, Own | null>(ref, () => box.current)
  const notifyOwner = useEffectEvent(() => {
    if (box.current && typeof given === 'string' && box.current.value !== given) typeAgain(box.current, given)
  })
  // In a later effect it could have been wiped out already.
  useLayoutEffect(() => notifyOwner(), [])
  return box
}

/** React passes over an event that brings the text it has seen last: it is shown the owner's, and typed into behind its back. */
function typeAgain(box: Box, given: string): void {
  const typed = box.value
  box.value = given
  const prototype =
    box instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(box, typed)
  box.dispatchEvent(new Event('input', { bubbles: true }))
}
