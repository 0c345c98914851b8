/** Half a frame. */
const budgetMs = 8

/**
 * Runs tasks in order and in short slices, so that the page stays responsive. Between slices, the queue waits for a
 * message instead of a timer: browsers limit timers of background tabs to one per second, and the output would pile up.
 */
export function createWorkQueue(now: () => number = () => performance.now()) {
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
    push(work: () => void) {
      waiting.push(work)
      schedule()
    },
    /** Drops the remaining tasks and accepts no more. */
    close() {
      waiting = []
      channel.port1.close()
    },
  }
}
