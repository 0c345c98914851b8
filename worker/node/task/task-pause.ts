import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import { logger } from '@/lib/logger'
import type { StopRequest } from './stop-request'

/** `setTimeout` calls at once if the time is longer. A time limit has up to 30 days. */
const longestTimerMs = 2 ** 31 - 1

/** Pauses and resumes the container of a task, and records it. Both can be repeated. */
interface PausableContainer {
  pause(): Promise<void>
  resume(): Promise<void>
}

/** Pauses a running task while its job is suspended in Slurm, and measures its time limit, to which pauses do not count. */
export class TaskPause {
  #wanted = false
  /** Null: an earlier worker may have paused the container. */
  #applied: boolean | null
  #runs = false
  #working: Promise<void> | undefined
  #leftMs: number
  /** When the time limit began to count; undefined: it does not count now. */
  #countsSinceMs: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(
    readonly task: Pick<ClaimedTask, 'id' | 'jobId' | 'timeLimitS' | 'ranSeconds' | 'wasPaused'>,
    readonly container: PausableContainer,
    readonly stop: Pick<StopRequest, 'signal'>,
    readonly onTimeout: () => void,
  ) {
    const { timeLimitS, ranSeconds, wasPaused } = task
    this.#applied = wasPaused ? null : false
    this.#leftMs = Math.max(0, timeLimitS - ranSeconds) * 1000
  }

  get isPaused(): boolean {
    return this.#applied !== false
  }

  /** The container runs now, or an earlier worker has paused it. */
  begin(): void {
    this.#runs = true
    if (this.#applied === false) this.#count()
  }

  /** The container has ended. */
  end(): void {
    this.#runs = false
    this.#stopCounting()
  }

  /** Sets whether the job is suspended. Repeat it: each call tries again what has failed. */
  set(wanted: boolean): void {
    this.#wanted = wanted
    this.#working ??= this.#apply().finally(() => {
      this.#working = undefined
    })
  }

  async #apply(): Promise<void> {
    try {
      // A container that must stop runs, so that its program can end.
      while (this.#runs && this.#applied !== this.#wanted && !this.stop.signal.aborted) {
        if (this.#wanted) await this.#pause()
        else await this.#resume()
      }
    } catch (error) {
      logger.warn(
        { err: error, task: this.task.id },
        `could not ${this.#wanted ? 'pause' : 'resume'} a task, retrying`,
      )
    }
  }

  async #pause(): Promise<void> {
    // Not known until it succeeded: the container may be paused although an error says otherwise.
    this.#applied = null
    this.#stopCounting()
    await this.container.pause()
    this.#applied = true
    logger.info(
      { task: this.task.id, job: this.task.jobId },
      'paused a task, because Slurm suspended its job',
    )
  }

  async #resume(): Promise<void> {
    await this.container.resume()
    this.#applied = false
    if (this.#runs) this.#count()
    logger.info({ task: this.task.id, job: this.task.jobId }, 'resumed a task, because Slurm resumed its job')
  }

  #count(): void {
    this.#countsSinceMs = performance.now()
    const onEnd = () => {
      this.#stopCounting()
      if (this.#leftMs > 0) this.#count()
      else this.onTimeout()
    }
    this.#timer = setTimeout(onEnd, Math.min(this.#leftMs, longestTimerMs))
  }

  #stopCounting(): void {
    clearTimeout(this.#timer)
    if (this.#countsSinceMs === undefined) return
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#countsSinceMs))
    this.#countsSinceMs = undefined
  }
}
