import { ChangeSignal } from '@/lib/async/change-signal'
import { listener } from '@/lib/database/listen'
import { logger } from '@/lib/logger'
import { readEndedTasks, type StepTask } from '@/lib/slurm/jobs/step-ends'

/** Polling interval, in case a notification is lost. */
const pollIntervalMs = 2_000

interface Waiting {
  task: StepTask
  resolve(code: number | null): void
}

/** Waits for the ends of tasks, with one query for all of them. */
export class StepEnds {
  readonly #waiting = new Set<Waiting>()
  readonly #wake: ChangeSignal

  constructor(readonly signal: AbortSignal) {
    this.#wake = new ChangeSignal(signal)
  }

  /** Returns the exit code of a task's step, or null once `closed` is aborted. */
  async codeOf(task: StepTask, closed: AbortSignal): Promise<number | null> {
    if (closed.aborted) return null
    return new Promise((resolve) => {
      const end = (code: number | null) => {
        this.#waiting.delete(waiting)
        resolve(code)
      }
      const waiting: Waiting = { task, resolve: end }
      this.#waiting.add(waiting)
      closed.addEventListener('abort', () => end(null), { once: true })
      // It may have ended before a worker of this node accepted the step again.
      this.#wake.notify()
    })
  }

  async run(): Promise<void> {
    const stop = await listener().listen('job', (jobId) => {
      const concerned = jobId === null || [...this.#waiting].some(({ task }) => task.jobId === jobId)
      if (concerned) this.#wake.notify()
    })
    try {
      while (!this.signal.aborted) {
        await this.#look().catch((error: unknown) =>
          logger.warn({ err: error }, 'could not read which tasks of Slurm jobs have ended, retrying'),
        )
        await this.#wake.wait(pollIntervalMs)
      }
    } finally {
      stop()
    }
  }

  async #look(): Promise<void> {
    const waiting = [...this.#waiting]
    for (const { jobId, attempt, rank, code } of await readEndedTasks(waiting.map(({ task }) => task))) {
      for (const { task, resolve } of waiting)
        if (task.jobId === jobId && task.attempt === attempt && task.rank === rank) resolve(code)
    }
  }
}
