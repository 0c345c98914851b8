import { randomUUID } from 'node:crypto'
import { backoff } from '@/lib/async/backoff'
import { sleep } from '@/lib/async/sleep'
import { timeLimit } from '@/lib/async/time-limit'
import { env } from '@/lib/env'
import { logger } from '@/lib/logger'
import { nextProvisionStep } from '@/lib/provisioning/provision-rules'
import {
  appendProvisionOutput,
  endProvision,
  failProvision,
  type Provision,
  readProvisions,
  recordProvisions,
  setProvisionStatus,
} from '@/lib/provisioning/provisions'
import { attempt } from '../scheduler/attempt'
import { onQueueChange } from '../scheduler/on-queue-change'
import { runShellCommand } from './run-command'

/** An admin's two commands, and the time limit for nodes to appear. */
export interface ProvisionCommands {
  up: string
  down: string
  deadlineS: number
}

const pollIntervalMs = 1_000
/** Interval at which printed text is stored. */
const showIntervalMs = 300
/** A command that removes nodes is stopped after this time and retried. */
const maxTakeDownMs = 10 * 60_000
const firstRetryMs = 2_000
const maxRetryMs = 60_000

/** The leader's task. An engine outside gpuq has nodes of its own. */
export async function provisionNodes(signal: AbortSignal): Promise<void> {
  if (env().GPUQ_ENGINE !== 'builtin') return
  const { GPUQ_PROVISION_UP: up, GPUQ_PROVISION_DOWN: down, GPUQ_PROVISION_DEADLINE_S: deadlineS } = env()
  if (up && down) await provision({ up, down, deadlineS }, signal)
  else await attempt('look for provisioned nodes', reportUnmanagedProvisions)
}

/** Without the commands, this worker cannot remove the nodes that an earlier leader started. */
async function reportUnmanagedProvisions(): Promise<void> {
  const { length } = await readProvisions()
  if (length === 0) return
  logger.error(
    { jobs: length },
    'nodes were started for jobs, and this worker cannot remove them: set GPUQ_PROVISION_UP and GPUQ_PROVISION_DOWN for every worker',
  )
}

/** Provisions nodes for jobs that request their own nodes, and removes them, until `signal` is aborted. */
export async function provision(commands: ProvisionCommands, signal: AbortSignal): Promise<void> {
  const provisioner = new Provisioner(commands, signal)
  await onQueueChange(signal, pollIntervalMs, async () => {
    await provisioner.advanceAll().catch((error: unknown) => {
      logger.error({ err: error }, 'could not manage the provisioned nodes')
    })
    return false
  })
  await provisioner.ended()
}

interface Running {
  stop: AbortController
  ended: Promise<void>
}

/** The commands of this leader's term. After a crash, the next term continues from the rows of the provisions. */
class Provisioner {
  /** Distinguishes commands of this term from those of earlier terms. */
  readonly #term = randomUUID()
  readonly #running = new Map<string, Running>()
  readonly #failuresInRow = new Map<string, number>()

  constructor(
    private readonly commands: ProvisionCommands,
    private readonly signal: AbortSignal,
  ) {}

  async advanceAll(): Promise<void> {
    await recordProvisions(this.#term, this.commands.deadlineS)
    for (const each of await readProvisions()) await this.#advance(each)
  }

  /** Resolves when no command runs any more. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  async #advance(each: Provision): Promise<void> {
    const { jobId } = each
    const running = this.#running.get(jobId)
    const isFromThisTerm = each.term === this.#term
    switch (nextProvisionStep({ ...each, busy: running !== undefined, isFromThisTerm })) {
      case 'give_up':
        running?.stop.abort()
        return failProvision(jobId, `The nodes did not appear within ${this.commands.deadlineS} s.`)
      case 'again':
        await setProvisionStatus(jobId, ['up'], 'starting', {
          term: this.#term,
          deadlineS: this.commands.deadlineS,
        })
        return this.#begin(jobId, (stop) => this.#bringUp(each, stop))
      case 'settle':
        await setProvisionStatus(jobId, ['starting'], 'up', { term: this.#term })
        return
      case 'end':
        running?.stop.abort()
        await setProvisionStatus(jobId, ['starting', 'up'], 'ending', { term: this.#term })
        return
      case 'take_down':
        return this.#begin(jobId, (stop) => this.#takeDown(each, stop))
      case 'wait':
        if (each.status === 'starting' && !running) this.#begin(jobId, (stop) => this.#bringUp(each, stop))
    }
  }

  #begin(jobId: string, work: (stop: AbortSignal) => Promise<void>): void {
    const stop = new AbortController()
    const ended = work(AbortSignal.any([stop.signal, this.signal]))
      .catch((error: unknown) =>
        logger.error({ err: error, job: jobId }, 'lost track of a provisioning command'),
      )
      .finally(() => this.#running.delete(jobId))
    this.#running.set(jobId, { stop, ended })
  }

  async #bringUp({ jobId, request }: Provision, stop: AbortSignal): Promise<void> {
    logger.info({ job: jobId }, 'provisioning nodes for a job')
    const end = await this.#run(this.commands.up, jobId, request, stop)
    if (stop.aborted) return
    if (end.ok) await setProvisionStatus(jobId, ['starting'], 'up')
    else await failProvision(jobId, `The provisioning command failed. ${end.problem}`)
  }

  async #takeDown({ jobId, request }: Provision, stop: AbortSignal): Promise<void> {
    const failures = this.#failuresInRow.get(jobId) ?? 0
    if (failures > 0) await sleep(backoff(failures, firstRetryMs, maxRetryMs), stop)
    const limit = timeLimit(maxTakeDownMs, stop)
    const end = await this.#run(this.commands.down, jobId, request, limit)
    if (end.ok) {
      this.#failuresInRow.delete(jobId)
      await endProvision(jobId)
      logger.info({ job: jobId }, 'removed the nodes of a job')
    } else if (!stop.aborted) {
      this.#failuresInRow.set(jobId, failures + 1)
      logger.error({ job: jobId, problem: end.problem }, 'could not remove nodes, retrying')
    }
  }

  /** Runs a command, and stores its output as it appears. */
  async #run(command: string, jobId: string, request: Record<string, string>, stop: AbortSignal) {
    let text = ''
    const append = async () => {
      const shown = text
      text = ''
      if (shown) await appendProvisionOutput(jobId, shown)
    }
    let showing = Promise.resolve()
    // Serialized, so that all output is stored before the command counts as ended.
    const show = () => {
      showing = showing.then(append, append)
      return showing
    }
    const onOutput = (piece: string) => {
      text += piece
    }
    const timer = setInterval(() => {
      show().catch((error: unknown) =>
        logger.warn({ err: error, job: jobId }, 'could not store the output of a provisioning command'),
      )
    }, showIntervalMs)
    try {
      return await runShellCommand(command, { variables: request, onOutput, signal: stop })
    } finally {
      clearInterval(timer)
      await show()
    }
  }
}
