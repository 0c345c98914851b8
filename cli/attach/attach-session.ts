import type { JobDetail } from '@/lib/contract/jobs'
import type { Printed } from '@/lib/contract/printed-output'
import { isFinal } from '@/lib/contract/status'
import type { Client } from '@/lib/http/client/client'
import type { Context } from '../context'
import { exitCodeOf, exitCodes } from '../job/exit-code'
import { followJob, type Happening } from '../job/follow-job'
import { formatState, note, outputTo } from '../job/show-job'
import type { RawTerminal } from '../terminal/raw-terminal'
import { TerminalState, withoutQuestions } from '../terminal/terminal-state'
import { DetachKeys, type EscapeKey } from './detach-keys'
import { KeySender } from './key-sender'

/** How much earlier output is shown on attach. The server may send a little more. */
const tailBytes = 64 * 1024
/** Long enough that the program receives both sizes, and short enough that nobody reads the first redraw. */
const redrawMs = 150
const ctrlC = 0x03
const bell = '\u0007'

export interface Attaching {
  client: Client
  job: JobDetail
  raw: RawTerminal
  escapeKey: EscapeKey
  /** Which task of a multi-node job. Undefined: the terminal of the first task, or the output of all. */
  rank?: number | undefined
}

/** Connects the user's terminal to a running job: shows the job's output and sends the user's keys. */
export class AttachSession {
  readonly #leaving = new AbortController()
  readonly #state = new TerminalState()
  readonly #sender: KeySender
  readonly #keys: DetachKeys
  #job: JobDetail
  #attachedTo: number | null = null
  /** The program has printed something, so it runs, even if its status is not yet known. */
  #talks = false
  #sizing: Promise<void> = Promise.resolve()
  #said = ''
  readonly #writeLines: (printed: Printed) => Promise<void>

  constructor(
    readonly context: Context,
    readonly attaching: Attaching,
  ) {
    const { client, job, rank, escapeKey } = attaching
    this.#writeLines = outputTo(context.terminal, rank)
    this.#job = job
    this.#keys = new DetachKeys(escapeKey)
    const lost = () => void context.terminal.out(bell)
    this.#sender = new KeySender({ client, jobId: job.job_id, rank: rank ?? 0, sleep: context.sleep, lost })
  }

  /** Resolves with the job's exit code after the job has ended, or with 0 after the user has detached. */
  async run(): Promise<number> {
    const { raw, escapeKey } = this.attaching
    const signal = AbortSignal.any([this.#leaving.signal, raw.gone])
    raw.onKeys((bytes) => this.#take(bytes))
    raw.onResize(() => this.#tellSize())
    try {
      await this.#say(`Press ${escapeKey.name} d to detach. The job keeps running.`)
      await this.#follow(signal)
    } finally {
      this.#sender.close()
      await this.context.terminal.out(this.#state.restore())
      await raw.close()
    }
    return this.#end(raw.gone.aborted)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { client } = this.attaching
    const { sleep } = this.context
    const jobId = this.#job.job_id
    for await (const happening of followJob({ client, jobId, sleep, signal, tail: tailBytes })) {
      if (signal.aborted) return
      await this.#show(happening)
    }
  }

  async #show(happening: Happening): Promise<void> {
    if (happening.kind === 'output') {
      await this.#write(happening.printed)
    } else if (happening.kind === 'again') {
      this.#talks = false
      await this.context.terminal.out(this.#state.restore())
      await this.#say('The job is retried. The output of the next attempt follows.')
    } else if (happening.kind === 'job') await this.#hear(happening.job)
  }

  async #write(printed: readonly Printed[]): Promise<void> {
    if (!this.#job.terminal) {
      for (const one of printed) await this.#writeLines(one)
      return
    }
    const own = printed.filter(({ rank }) => (rank ?? 0) === (this.attaching.rank ?? 0))
    const text = own.map((one) => one.text).join('')
    // Output may arrive before the running status. A user who sees a prompt answers it, so keys must already
    // work. stdout only: stderr may hold messages of gpuq.
    this.#talks ||= own.some(({ stream }) => stream === 'stdout')
    this.#state.watch(text)
    // Before the first status event, the output is history.
    await this.context.terminal.out(this.#said === '' ? withoutQuestions(text) : text)
  }

  async #hear(job: JobDetail): Promise<void> {
    const before = this.#said
    this.#job = job
    if (!job.placed) this.#talks = false
    this.#said = formatState(job, this.context)
    // While the job runs, the screen belongs to the program.
    if (before !== this.#said && job.status === 'pending') await this.#say(this.#said)
    if (job.status === 'running' && this.#attachedTo !== job.attempt) {
      this.#attachedTo = job.attempt
      this.#askToRedraw()
    }
  }

  #take(bytes: Buffer): void {
    const { input, detached } = this.#keys.push(bytes)
    const typing = this.#job.terminal && (this.#job.status === 'running' || this.#talks)
    if (typing) this.#sender.send(input)
    if (detached || (!typing && input.includes(ctrlC))) this.#leaving.abort()
  }

  /**
   * Full-screen programs redraw when the terminal size changes. Change the size for a moment, as other tools
   * do.
   */
  #askToRedraw(): void {
    const { columns, rows } = this.attaching.raw.size
    this.#resize(() => ({ columns, rows: rows > 1 ? rows - 1 : 2 }))
    this.#sizing = this.#sizing.then(() => this.context.sleep(redrawMs))
    this.#tellSize()
  }

  #tellSize(): void {
    this.#resize(() => this.attaching.raw.size)
  }

  #resize(size: () => RawTerminal['size']): void {
    const { client, rank } = this.attaching
    if (!this.#job.terminal || this.#attachedTo === null) return
    // Ignore failures: the next change sends the size again.
    this.#sizing = this.#sizing
      .then(() => client.jobs.resize(this.#job.job_id, size(), rank))
      .catch(() => undefined)
  }

  async #end(isGone: boolean): Promise<number> {
    const job = this.#job
    if (isFinal(job.status)) {
      await note(this.context, formatState(job, this.context))
      return exitCodeOf(job)
    }
    if (isGone) return exitCodes.failed
    await this.context.terminal.err(`\n[detached from ${job.job_id}]\n`)
    return exitCodes.ok
  }

  /** Prints a message of gpuq. The raw terminal needs a carriage return. */
  async #say(text: string): Promise<void> {
    await note(this.context, `${text}\r`)
  }
}
