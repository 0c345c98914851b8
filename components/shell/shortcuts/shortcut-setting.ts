import { useSyncExternalStore } from 'react'

/*
 * Single-key shortcuts can interfere with speech input and other tools, so users can turn them off (WCAG 2.2, 2.1.4).
 * The setting belongs to the browser, because it depends on the keyboard.
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

function setShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, 'off')
  window.dispatchEvent(new Event(changed))
}

/** The setting and its setter. */
export function useShortcutSetting(): [on: boolean, setShortcuts: (on: boolean) => void] {
  return [useSyncExternalStore(subscribe, shortcutsAreOn, () => true), setShortcuts]
}
