/** `offline`: the browser has no network. `unreachable`: gpuq did not answer the last request. */
export type Connection = 'ok' | 'offline' | 'unreachable'

let answered = true
const listeners = new Set<() => void>()

function setAnswered(value: boolean): void {
  if (answered === value) return
  answered = value
  for (const listener of listeners) listener()
}

/** `fetch`, which remembers whether gpuq answers. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const answer = await fetch(input, init)
    setAnswered(true)
    return answer
  } catch (error) {
    if (!init?.signal?.aborted) setAnswered(false)
    throw error
  }
}

/** Asks gpuq for an answer. */
export async function checkConnection(): Promise<void> {
  await watchedFetch('/healthz', { method: 'HEAD', cache: 'no-store' }).catch(() => null)
}

/** Whether this page can reach gpuq now. */
export function currentConnection(): Connection {
  if (!navigator.onLine) return 'offline'
  return answered ? 'ok' : 'unreachable'
}

/** Calls a listener when the connection may have changed. Returns the function that stops it. */
export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
