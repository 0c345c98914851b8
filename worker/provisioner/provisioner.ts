import { randomUUID } from 'node:crypto'
import { ChangeSignal } from '@/lib/async/change-signal'
import { backoff } from '@/lib/async/retry'
import { sleep } from '@/lib/async/sleep'
import { nextProvisionStep } from '@/lib/cluster/provisions/provision-rules'
import {
  appendProvisionOutput,
  endProvision,
  giveUpProvision,
  moveProvision,
  noteProvisions,
  type Provision,
  readProvisions,
} from '@/lib/cluster/provisions/provisions'
import { listener } from '@/lib/database/listen'
import { logger } from '@/lib/logger'
import { runShellCommand } from './run-command'

/** An admin's two commands, and how long nodes may take to come up. */
export interface ProvisionCommands {
  up: string
  down: string
  deadlineS: number
}

const lookEveryMs = 1_000
/** Printed text becomes visible that often. */
const showEveryMs = 300
/** A command that takes nodes down and has not ended by then is stopped, and tried again. */
const longestDownMs = 10 * 60_000
const firstRetryMs = 2_000
const longestRetryMs = 60_000

/** Brings up nodes for jobs that ask for nodes of their own, and takes them down, until `signal` ends it. */
export async function provision(commands: ProvisionCommands, signal: AbortSignal): Promise<void> {
  const provisioner = new Provisioner(commands, signal)
  const wake = new ChangeSignal(signal)
  const stop = await listener().listen('queue', wake.notify)
  try {
    while (!signal.aborted) {
      await provisioner.look().catch((error: unknown) => {
        logger.error({ err: error }, 'nodes brought up for jobs could not be looked after')
      })
      await wake.wait(lookEveryMs)
    }
  } finally {
    stop()
    await provisioner.ended()
  }
}

interface Running {
  stop: AbortController
  ended: Promise<void>
}

/** The commands that run in this leader's term. Whatever dies, the next term finds each provision's row, and goes on. */
class Provisioner {
  /** Tells what this term began from what another one left behind. */
  readonly #term = randomUUID()
  readonly #running = new Map<string, Running>()
  readonly #failuresInRow = new Map<string, number>()

  constructor(
    private readonly commands: ProvisionCommands,
    private readonly signal: AbortSignal,
  ) {}

  async look(): Promise<void> {
    await noteProvisions(this.#term, this.commands.deadlineS)
    for (const each of await readProvisions()) await this.#step(each)
  }

  /** Resolves when no command runs any more. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  async #step(each: Provision): Promise<void> {
    const { jobId } = each
    const running = this.#running.get(jobId)
    const ours = each.term === this.#term
    switch (nextProvisionStep({ ...each, busy: running !== undefined, ours })) {
      case 'give_up':
        running?.stop.abort()
        return giveUpProvision(jobId, `They were not there after ${this.commands.deadlineS} s.`)
      case 'again':
        await moveProvision(jobId, ['up'], 'starting', {
          term: this.#term,
          deadlineS: this.commands.deadlineS,
        })
        return this.#begin(jobId, (stop) => this.#bringUp(each, stop))
      case 'settle':
        await moveProvision(jobId, ['starting'], 'up', { term: this.#term })
        return
      case 'end':
        running?.stop.abort()
        await moveProvision(jobId, ['starting', 'up'], 'ending', { term: this.#term })
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
      .catch((error: unknown) => logger.error({ err: error, job: jobId }, 'a provisioning command was lost'))
      .finally(() => this.#running.delete(jobId))
    this.#running.set(jobId, { stop, ended })
  }

  async #bringUp({ jobId, request }: Provision, stop: AbortSignal): Promise<void> {
    logger.info({ job: jobId }, 'bringing up nodes for a job')
    const end = await this.#run(this.commands.up, jobId, request, stop)
    if (stop.aborted) return
    if (end.ok) await moveProvision(jobId, ['starting'], 'up')
    else await giveUpProvision(jobId, `The command that brings them up failed. ${end.problem}`)
  }

  async #takeDown({ jobId, request }: Provision, stop: AbortSignal): Promise<void> {
    const failures = this.#failuresInRow.get(jobId) ?? 0
    if (failures > 0) await sleep(backoff(failures, firstRetryMs, longestRetryMs), stop)
    const limit = AbortSignal.any([stop, AbortSignal.timeout(longestDownMs)])
    const end = await this.#run(this.commands.down, jobId, request, limit)
    if (end.ok) {
      this.#failuresInRow.delete(jobId)
      await endProvision(jobId)
      logger.info({ job: jobId }, 'took down the nodes of a job')
    } else if (!stop.aborted) {
      this.#failuresInRow.set(jobId, failures + 1)
      logger.error({ job: jobId, problem: end.problem }, 'nodes could not be taken down, trying again')
    }
  }

  /** Runs a command, and shows what it prints as it comes. */
  async #run(command: string, jobId: string, request: Record<string, string>, stop: AbortSignal) {
    let text = ''
    const append = async () => {
      const shown = text
      text = ''
      if (shown) await appendProvisionOutput(jobId, shown)
    }
    let showing = Promise.resolve()
    // One after the other: what is being shown when the command ends is there before anything else follows.
    const show = () => {
      showing = showing.then(append, append)
      return showing
    }
    const onOutput = (piece: string) => {
      text += piece
    }
    const timer = setInterval(() => {
      show().catch((error: unknown) => logger.warn({ err: error, job: jobId }, 'output was not shown'))
    }, showEveryMs)
    try {
      return await runShellCommand(command, { variables: request, onOutput, signal: stop })
    } finally {
      clearInterval(timer)
      await show()
    }
  }
}
