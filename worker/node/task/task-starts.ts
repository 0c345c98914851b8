import { sleep } from '@/lib/async/sleep'

/** A started job gets the machine for itself first. */
const settleMs = 300
/** From the end of a task to the start of the next one that was dispatched. */
const claimMs = 50
/** An ended container is removed after this time at the latest. */
const longestWayMs = 2_000
/** No start of a task delays the others for longer, for example while it waits for its peers. */
const longestStartMs = 10_000

/** The starts of tasks that are in progress on a node. */
export class TaskStarts {
  readonly #starts = new Set<{ beganMs: number }>()

  /** A task is about to start. Returns the function that says that it has started or failed. */
  begin(): () => void {
    const start = { beganMs: performance.now() }
    this.#starts.add(start)
    return () => this.#starts.delete(start)
  }

  /** Waits for a moment in which no task starts. */
  async untilQuiet(stop: AbortSignal): Promise<void> {
    do await sleep(settleMs, stop)
    while (this.#isBusy && !stop.aborted)
  }

  /** Lets the tasks start that follow an ended one, before its container is removed. */
  async giveWay(stop: AbortSignal): Promise<void> {
    const latestMs = performance.now() + longestWayMs
    do await sleep(claimMs, stop)
    while (this.#isBusy && performance.now() < latestMs && !stop.aborted)
  }

  get #isBusy(): boolean {
    return [...this.#starts].some(({ beganMs }) => beganMs > performance.now() - longestStartMs)
  }
}
