import { sleep } from '@/lib/async/sleep'
import { logger } from '@/lib/logger'
import { checkIn, type StepReport, withdrawStep } from '@/lib/slurm/jobs/check-in'
import { placeSteps } from '@/lib/slurm/jobs/place-steps'
import { findStepless } from '@/lib/slurm/jobs/step-ends'
import type { EngineNode } from '../engine/engine'
import { terminatedCode } from './compare-jobs'
import { decideStop } from './decide-stop'
import { StepEnds } from './step-ends'
import { type StepConnection, StepServer } from './step-server'

const retryMs = 300
/** Polling interval while other steps of the job are missing, in case a notification is lost. */
const incompleteMs = 2_000
/** Time for the steps of adopted tasks to connect again. */
const reconnectMs = 60_000
const steplessIntervalMs = 5_000
/** Time for the step of a job to connect after Slurm resumed it: its script was stopped. */
const steplessGraceMs = 30_000
/** As for every task that is told to stop. */
const stopGraceMs = 10_000
/** Exit code of a step that gpuq does not want. */
const unwantedCode = 1

/**
 * Accepts the steps of Slurm jobs on a node: checks them, starts the job when all its steps have arrived, and ends each
 * step with its task. A step that ends before its task takes the task with it, because Slurm has given the GPUs away.
 */
export class StepService {
  readonly #steps = new Map<string, StepConnection>()
  /** Since when live tasks have no step, by their keys. */
  readonly #steplessSince = new Map<string, number>()
  readonly #server: StepServer
  readonly #ends: StepEnds
  readonly #startedMs = performance.now()

  constructor(
    readonly node: EngineNode,
    directory: string,
    readonly signal: AbortSignal,
  ) {
    this.#server = new StepServer(StepServer.portFileOf(directory, node.name), (step) => {
      this.#serve(step).catch((error: unknown) => {
        // The step connects again.
        logger.error({ err: error, slurm: step.report.slurmId }, 'could not serve a step of a Slurm job')
        step.socket.destroy()
      })
    })
    this.#ends = new StepEnds(signal)
  }

  /** Serves until the signal is aborted. @throws if it cannot listen, or cannot tell batch scripts where. */
  async run(): Promise<void> {
    await this.#server.open()
    try {
      await Promise.all([this.#ends.run(), this.#stopStepless()])
    } finally {
      await this.#server.close()
    }
  }

  async #serve(step: StepConnection): Promise<void> {
    const { report } = step
    const lease = await this.#lease(step)
    if (!lease) return
    const known = await checkIn(lease.nodeId, report)
    if (!known.ok) return step.exit(unwantedCode, known.why)
    const attempt = await this.#place(step)
    if (attempt === null) return step.closed.aborted ? withdrawStep(report) : step.exit(unwantedCode)
    const task = { jobId: known.jobId, attempt, rank: report.rank }
    const key = keyOf(task)
    this.#steps.set(key, step)
    onAbort(step.closed, () => this.#onClosed(step, task))
    onAbort(step.stopping, () => this.#onStop(step, task))
    try {
      const code = await this.#ends.codeOf(task, step.closed)
      if (code !== null) step.exit(code)
    } finally {
      if (this.#steps.get(key) === step) this.#steps.delete(key)
    }
  }

  /** Waits for a lease, while the step is connected. */
  async #lease(step: StepConnection) {
    for (; !this.#isOver(step); await sleep(retryMs, step.closed)) {
      const lease = this.node.lease()
      if (lease) return lease
    }
    return null
  }

  #isOver(step: StepConnection): boolean {
    return step.closed.aborted || this.signal.aborted
  }

  /** Returns the attempt that runs in this start of the Slurm job; null: none will. */
  async #place(step: StepConnection): Promise<number | null> {
    const { rowId, restart } = step.report
    let told = ''
    while (!this.#isOver(step)) {
      const placed = await placeSteps(rowId, restart)
      if (placed.state === 'placed') return placed.attempt
      if (placed.state === 'over' || step.stopping.aborted) return null
      if (placed.state === 'later' && placed.why !== told) {
        told = placed.why
        logger.warn({ slurm: step.report.slurmId }, `a Slurm job waits on this node: ${told}`)
      }
      await sleep(placed.state === 'later' ? retryMs : incompleteMs, step.closed)
    }
    return null
  }

  #onClosed(step: StepConnection, task: TaskOfStep): void {
    if (step.answered || this.signal.aborted) return
    void this.#stop(step.report, task, 0)
  }

  /** Slurm shows why only when the step has ended, so the step ends with the container and before the task. */
  #onStop(step: StepConnection, task: TaskOfStep): void {
    if (step.answered) return
    const stopped = this.#stop(step.report, task, stopGraceMs)
    void stopped.then(() => step.closed.aborted || step.exit(terminatedCode))
  }

  async #stop(
    { rowId, slurmId }: Pick<StepReport, 'rowId' | 'slurmId'>,
    task: TaskOfStep,
    graceMs: number,
  ): Promise<void> {
    logger.info({ slurm: slurmId, job: task.jobId }, 'Slurm stops a job on this node')
    const reason = decideStop(rowId, task.attempt, this.signal)
    await this.node.stopAttempt({ ...task, graceMs, reason })
  }

  /** Slurm may have ended a job while no worker was here to see the connection close. */
  async #stopStepless(): Promise<void> {
    for (; !this.signal.aborted; await sleep(steplessIntervalMs, this.signal)) {
      const lease = this.node.lease()
      if (!lease || performance.now() - this.#startedMs < reconnectMs) continue
      try {
        const live = await findStepless(lease.nodeId, reconnectMs / 1000)
        const stepless = live.filter((task) => !this.#steps.has(keyOf(task)))
        const keys = new Set(stepless.map(keyOf))
        for (const key of this.#steplessSince.keys()) if (!keys.has(key)) this.#steplessSince.delete(key)
        for (const { rowId, slurmId, ...task } of stepless) {
          const since = this.#steplessSince.get(keyOf(task)) ?? performance.now()
          this.#steplessSince.set(keyOf(task), since)
          if (performance.now() - since >= steplessGraceMs) void this.#stop({ rowId, slurmId }, task, 0)
        }
      } catch (error) {
        logger.warn({ err: error }, 'could not look for tasks whose Slurm step is gone, retrying')
      }
    }
  }
}

interface TaskOfStep {
  jobId: string
  attempt: number
  rank: number
}

/** Also if it was aborted before. */
function onAbort(signal: AbortSignal, work: () => void): void {
  if (signal.aborted) work()
  else signal.addEventListener('abort', work, { once: true })
}

const keyOf = ({ jobId, attempt, rank }: TaskOfStep) => `${jobId} ${attempt} ${rank}`
