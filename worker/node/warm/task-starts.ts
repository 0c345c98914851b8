import { sleep } from '@/lib/async/sleep'

/** A started job gets the machine for itself first. */
const settleMs = 300
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
    const isBusy = () => [...this.#starts].some(({ beganMs }) => beganMs > performance.now() - longestStartMs)
    do await sleep(settleMs, stop)
    while (isBusy() && !stop.aborted)
  }
}
