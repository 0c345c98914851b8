import { recordRunDirectory } from '@/lib/cluster/checkpoints/run-directories'
import type { Run } from '@/lib/cluster/checkpoints/runs'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import type { ClaimedTask } from '@/lib/cluster/tasks/tasks'
import type { Outcome } from '@/lib/jobs/state/finish'
import { logger } from '@/lib/logger'
import type { TaskSettings } from '../node/task/task-settings'
import { CheckpointUploader } from './checkpoint-uploader'
import { localCheckpoints } from './local-checkpoints'
import { sharedCheckpoints, watchSize } from './run-directory'

interface CheckpointsOf {
  host: TaskSettings & { lease: Lease }
  task: ClaimedTask
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
  /** Writes a message to the job's output. */
  note: (text: string) => void
  onOver: () => void
}

/** Handles a task's checkpoints while it runs and after its end, on a shared disk or in the bucket. */
export class RunCheckpoints {
  readonly #uploader: CheckpointUploader | null
  /** The directory whose size is monitored; null: none. */
  readonly #watched: string | null
  /** The run whose directory on a shared disk counts to its owner; null: it is in the bucket, or another rank counts it. */
  readonly #counted: Run | null

  #countedBytes: number | undefined

  constructor(readonly of: CheckpointsOf) {
    const { host, task, abandoned, note, onOver } = of
    const { tasksDirectory, checkpointsDirectory: shared, checkpointsLimitBytes: limitBytes } = host
    const { run } = task
    const local = localCheckpoints(tasksDirectory, task.id)
    const inBucket = run !== null && shared === null
    const kept = { lease: host.lease, task, local, limitBytes, abandoned, note, onOver }
    this.#uploader = inBucket ? new CheckpointUploader({ ...kept, run }) : null
    // On a shared disk, only rank 0 monitors the size.
    const onDisk = run !== null && shared !== null && task.rank === 0
    this.#counted = onDisk ? run : null
    this.#watched = inBucket ? local.files : onDisk ? sharedCheckpoints(shared, run) : null
  }

  /** The program is about to start, or was found running. */
  start(running: AbortSignal): void {
    const { host, onOver } = this.of
    this.#uploader?.start()
    if (!this.#watched) return
    // The last measurement is later: it must not end a request to delete the files of the ended run.
    const onMeasured = (bytes: number) => this.#count(bytes, !running.aborted)
    void watchSize(this.#watched, host.checkpointsLimitBytes, running, { onMeasured, onOver })
  }

  /** The sweep counts again, so a failure here is corrected later. */
  async #count(bytes: number, running: boolean): Promise<void> {
    if (this.#counted === null || bytes === this.#countedBytes) return
    try {
      await recordRunDirectory(this.#counted, bytes, { running })
      this.#countedBytes = bytes
    } catch (error) {
      logger.warn({ err: error, task: this.of.task.id }, 'could not count the checkpoints of a run')
    }
  }

  /**
   * Returns the outcome with a sentence about missing checkpoints, once no process of the task is left. @throws
   * {Fenced}
   */
  async finish(outcome: Outcome): Promise<Outcome> {
    const missing = (await this.#uploader?.finish(outcome.reason)) ?? null
    if (missing === null) return outcome
    this.of.note(missing)
    return { ...outcome, detail: [outcome.detail, missing].filter(Boolean).join(' ') }
  }

  close(): void {
    this.#uploader?.close()
  }
}
