/** Work that can wait a moment, done in order and in pieces, so that the page stays answerable in between. */
export interface WorkQueue {
  push: (work: () => void) => void
  /** Forgets what is left, and takes nothing more. */
  close: () => void
}

/** Half a frame. */
const budgetMs = 8

/**
 * Makes a queue. Between its turns it waits for a message and not for a timer: a browser slows the timers of a tab in the
 * background down to one a second, and the output would pile up there.
 */
export function createWorkQueue(now: () => number = () => performance.now()): WorkQueue {
  let waiting: (() => void)[] = []
  let next = 0
  let scheduled = false
  const channel = new MessageChannel()
  const schedule = () => {
    if (scheduled || next === waiting.length) return
    scheduled = true
    channel.port2.postMessage(null)
  }
  channel.port1.onmessage = () => {
    scheduled = false
    const end = now() + budgetMs
    do waiting[next++]?.()
    while (next < waiting.length && now() < end)
    if (next >= waiting.length) {
      waiting = []
      next = 0
    }
    schedule()
  }
  return {
    push(work) {
      waiting.push(work)
      schedule()
    },
    close() {
      waiting = []
      channel.port1.close()
    },
  }
}
