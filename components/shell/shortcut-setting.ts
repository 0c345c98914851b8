'use client'

import { useSyncExternalStore } from 'react'

/*
 * Single keys can get in the way of speech input and of other tools, so they can be switched off (WCAG 2.2, 2.1.4).
 * The choice belongs to the browser and not to the person: it is about this keyboard.
 */
const storageKey = 'gpuq.shortcuts'
const changed = 'gpuq:shortcuts'

/** Whether single-key shortcuts are on in this browser. */
export function shortcutsAreOn(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    return true
  }
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('storage', listener)
  window.addEventListener(changed, listener)
  return () => {
    window.removeEventListener('storage', listener)
    window.removeEventListener(changed, listener)
  }
}

function turn(on: boolean): void {
  if (on) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, 'off')
  window.dispatchEvent(new Event(changed))
}

/** The setting, and the way to change it. */
export function useShortcutSetting(): [on: boolean, turn: (on: boolean) => void] {
  return [useSyncExternalStore(subscribe, shortcutsAreOn, () => true), turn]
}
