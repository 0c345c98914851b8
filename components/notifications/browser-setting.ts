import { useSyncExternalStore } from 'react'

/*
 * Notifications of the browser, while gpuq is open in a tab. The setting belongs to the browser, as the permission does.
 */
const storageKey = 'gpuq.notifications'
const changed = 'gpuq:notifications'

/** `blocked`: the browser does not let this site show notifications. */
export type BrowserNotifications = 'on' | 'off' | 'blocked'

function readSetting(): BrowserNotifications {
  if (!('Notification' in window) || Notification.permission === 'denied') return 'blocked'
  try {
    return Notification.permission === 'granted' && localStorage.getItem(storageKey) === 'on' ? 'on' : 'off'
  } catch {
    return 'off'
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

/** Call it on a click: it asks for permission the first time. */
async function changeSetting(on: boolean): Promise<void> {
  if (!on) localStorage.removeItem(storageKey)
  else if ((await Notification.requestPermission()) === 'granted') localStorage.setItem(storageKey, 'on')
  window.dispatchEvent(new Event(changed))
}

/** The setting and its setter. */
export function useBrowserNotifications(): [BrowserNotifications, (on: boolean) => Promise<void>] {
  return [useSyncExternalStore(subscribe, readSetting, () => 'off'), changeSetting]
}
