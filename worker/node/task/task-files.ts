import { join } from 'node:path'
import { retry } from '@/lib/async/retry'
import { unlessAborted } from '@/lib/async/sleep'
import { timeLimit } from '@/lib/async/time-limit'
import type { Lease } from '@/lib/cluster/nodes/nodes'
import { type ClaimedTask, Fenced } from '@/lib/cluster/tasks/tasks'
import type { Outcome } from '@/lib/jobs/state/finish'
import { logger } from '@/lib/logger'
import { uploadedDirectory } from '../../archives/prepare-archive'
import { RunCheckpoints } from '../../checkpoints/run-checkpoints'
import { describeMissing } from '../../files/describe-missing'
import { isCopied, workingDirectoryOf } from '../../working-files/working-directory'
import { WorkingFilesUploader } from '../../working-files/working-files-uploader'
import type { TaskSettings } from './task-settings'

/** Maximum time to store the last files; shorter for a cancelled job, whose owner waits. */
const timeoutMs = 10 * 60_000
const cancelledTimeoutMs = 10_000
/** A store that fails for this long counts as down. */
const downMs = 60_000

interface FilesOf {
  host: TaskSettings & { lease: Lease }
  task: ClaimedTask
  /** Aborted when this worker may do nothing more. */
  abandoned: AbortSignal
  /** Writes a message to the job's output. */
  note: (text: string) => void
  /** The checkpoints exceed their limit. */
  onOver: () => void
}

/** Stores the files that a task writes while it runs: its checkpoints, and those of its working directory. */
export class TaskFiles {
  readonly #checkpoints: RunCheckpoints
  readonly #workingFiles: WorkingFilesUploader | null

  constructor(readonly of: FilesOf) {
    const { host, task, abandoned, note } = of
    this.#checkpoints = new RunCheckpoints(of)
    const path = task.spec.working_directory
    const directory = workingDirectoryOf(host.tasksDirectory, task.id)
    const uploaded = join(host.tasksDirectory, task.id, uploadedDirectory)
    const isReady = () => isCopied(directory)
    const source = { lease: host.lease, task, directory, isReady, uploaded, abandoned, note }
    this.#workingFiles = path === undefined ? null : new WorkingFilesUploader({ ...source, path })
  }

  /** The program is about to start, or was found running. */
  start(running: AbortSignal): void {
    this.#checkpoints.start(running)
    this.#workingFiles?.start()
  }

  /** Returns the outcome with a sentence about missing files, once no process of the task is left. @throws {Fenced} */
  async finish(given: Outcome): Promise<Outcome> {
    const [outcome, missing] = await Promise.all([
      this.#checkpoints.finish(given),
      this.#finishWorkingFiles(given),
    ])
    if (missing === null) return outcome
    this.of.note(missing)
    return { ...outcome, detail: [outcome.detail, missing].filter(Boolean).join(' ') }
  }

  /** Stops without storing the last files. */
  close(): void {
    this.#checkpoints.close()
    this.#workingFiles?.close()
  }

  async #finishWorkingFiles({ reason }: Outcome): Promise<string | null> {
    const { task, abandoned } = this.of
    const uploader = this.#workingFiles
    if (uploader === null) return null
    const waitMs = reason.startsWith('cancelled') ? cancelledTimeoutMs : timeoutMs
    const signal = timeLimit(waitMs, abandoned)
    let failingSince: number | null = null
    const onFailure = (error: unknown) => {
      failingSince ??= performance.now()
      if (error instanceof Fenced || signal.aborted || performance.now() > failingSince + downMs) throw error
      logger.warn({ err: error, task: task.id }, 'could not store the last files, retrying')
    }
    const finish = retry(() => uploader.finish(signal), { firstMs: 500, longestMs: 5_000, signal, onFailure })
    try {
      const skipped = await unlessAborted(finish, signal)
      if (skipped !== null) return describeMissing(skipped, uploader.of.path)
    } catch (error) {
      if (error instanceof Fenced) throw error
      logger.error({ err: error, task: task.id }, 'could not store the last files of a working directory')
    }
    if (abandoned.aborted) throw new Fenced(task.id)
    return `The last changes in ${uploader.of.path} were not kept: the storage did not accept them in time.`
  }
}
