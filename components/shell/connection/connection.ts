/** gpuq did not answer the last request. `offline`: the browser has no network either. */
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
  // A browser without a network still reaches a gpuq on the same machine.
  if (answered) return 'ok'
  return navigator.onLine ? 'unreachable' : 'offline'
}

/** Calls a listener when the connection may have changed. Returns the function that stops it. */
export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener)
  // Assumed until an answer shows otherwise, so that the page says it at once.
  const lose = () => setAnswered(false)
  const ask = () => {
    listener()
    void checkConnection()
  }
  window.addEventListener('offline', lose)
  window.addEventListener('online', ask)
  if (!navigator.onLine) lose()
  return () => {
    listeners.delete(listener)
    window.removeEventListener('offline', lose)
    window.removeEventListener('online', ask)
  }
}
