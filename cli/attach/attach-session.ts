import type { JobDetail } from '@/lib/contract/jobs'
import type { Printed } from '@/lib/contract/output/printed-output'
import { isFinal } from '@/lib/contract/status'
import { VisibleOutput } from '@/lib/contract/text/visible-output'
import type { JobsClient } from '@/lib/http/client/jobs-client'
import { KeySender } from '@/lib/http/client/key-sender'
import type { RawTerminal } from '../console/raw-terminal'
import { TerminalState, withoutQueries } from '../console/terminal-state'
import type { Context } from '../context'
import { exitCodeOf, exitCodes } from '../job/exit-code'
import { followJob, type JobEvent } from '../job/follow-job'
import { readFailure } from '../job/read-failure'
import { formatState, note, OutputWriter } from '../job/show-job'
import { DetachKeys, type EscapeKey } from './detach-keys'

/** How much earlier output is shown on attach. The server may send a little more. */
const tailBytes = 64 * 1024
/** Long enough that the program receives both sizes, and short enough that nobody reads the first redraw. */
const redrawMs = 150
const ctrlC = 0x03
const bell = '\u0007'
const foreign =
  'The job belongs to another user, so it cannot control your terminal: its control characters are shown as text.'

interface AttachTarget {
  client: JobsClient
  job: JobDetail
  raw: RawTerminal
  escapeKey: EscapeKey
  /** Whether the job belongs to the user. The terminal of another user's job is shown as text. */
  own: boolean
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
  #hasOutput = false
  #sizing: Promise<void> = Promise.resolve()
  #lastMessage = ''
  readonly #lines: OutputWriter
  readonly #visible: VisibleOutput | null

  constructor(
    readonly context: Context,
    readonly target: AttachTarget,
  ) {
    const { client, job, rank, escapeKey, own } = target
    this.#lines = new OutputWriter(context.terminal, { own }, rank)
    this.#visible = own ? null : new VisibleOutput()
    this.#job = job
    this.#keys = new DetachKeys(escapeKey)
    const onLost = () => void context.terminal.outAsIs(bell)
    const { sleep } = context
    this.#sender = new KeySender({ client, jobId: job.job_id, rank: rank ?? 0, sleep, onLost })
  }

  /** Resolves with the job's exit code after the job has ended, or with 0 after the user has detached. */
  async run(): Promise<number> {
    const { raw, escapeKey } = this.target
    const signal = AbortSignal.any([this.#leaving.signal, raw.hangup])
    raw.onKeys((bytes) => this.#onKeys(bytes))
    raw.onResize(() => this.#sendSize())
    try {
      if (escapeKey.byte !== null)
        await this.#print(`Press ${escapeKey.name} d to detach. The job keeps running.`)
      if (this.#visible !== null && this.#job.terminal) await this.#print(foreign)
      await this.#follow(signal)
    } finally {
      this.#sender.close()
      await this.#endOutput()
      await raw.close()
    }
    return this.#finish(raw.hangup.aborted)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { client } = this.target
    const { sleep } = this.context
    const jobId = this.#job.job_id
    for await (const jobEvent of followJob({ client, jobId, sleep, signal, tail: tailBytes })) {
      if (signal.aborted) return
      await this.#show(jobEvent)
    }
  }

  async #show(jobEvent: JobEvent): Promise<void> {
    if (jobEvent.kind === 'output') {
      await this.#write(jobEvent.printed)
    } else if (jobEvent.kind === 'again') {
      this.#hasOutput = false
      await this.#endOutput()
      await this.#print('The job is retried. The output of the next attempt follows.')
    } else if (jobEvent.kind === 'job') await this.#onJob(jobEvent.job)
  }

  async #write(printed: readonly Printed[]): Promise<void> {
    if (!this.#job.terminal) {
      for (const one of printed) await this.#lines.write(one)
      return
    }
    const own = printed.filter(({ rank }) => (rank ?? 0) === (this.target.rank ?? 0))
    const text = own.map((one) => one.text).join('')
    // Output may arrive before the running status. A user who sees a prompt answers it, so keys must already
    // work. stdout only: stderr may hold messages of gpuq.
    this.#hasOutput ||= own.some(({ stream }) => stream === 'stdout')
    const { terminal } = this.context
    if (this.#visible !== null) return terminal.out(this.#visible.write(text))
    this.#state.watch(text)
    // Before the first status event, the output is history.
    await terminal.outAsIs(this.#lastMessage === '' ? withoutQueries(text) : text)
  }

  /** Writes what is held back of the output, ends its colours and restores the terminal. More output may follow. */
  async #endOutput(): Promise<void> {
    const { terminal } = this.context
    await this.#lines.end()
    await terminal.out(this.#visible?.end() ?? '')
    await terminal.outAsIs(this.#state.restore())
  }

  async #onJob(job: JobDetail): Promise<void> {
    const before = this.#lastMessage
    this.#job = job
    if (!job.placed) this.#hasOutput = false
    this.#lastMessage = formatState(job, this.context)
    // While the job runs, the screen belongs to the program.
    if (before !== this.#lastMessage && job.status === 'pending') await this.#print(this.#lastMessage)
    if (job.status === 'running' && this.#attachedTo !== job.attempt) {
      this.#attachedTo = job.attempt
      this.#requestRedraw()
    }
  }

  #onKeys(bytes: Buffer): void {
    const { input, detached } = this.#keys.push(bytes)
    const typing = this.#job.terminal && (this.#job.status === 'running' || this.#hasOutput)
    if (typing) this.#sender.send(input)
    if (detached || (!typing && input.includes(ctrlC))) this.#leaving.abort()
  }

  /**
   * Full-screen programs redraw when the terminal size changes. Change the size for a moment, as other tools
   * do.
   */
  #requestRedraw(): void {
    const { columns, rows } = this.target.raw.size
    this.#resize(() => ({ columns, rows: rows > 1 ? rows - 1 : 2 }))
    this.#sizing = this.#sizing.then(() => this.context.sleep(redrawMs))
    this.#sendSize()
  }

  #sendSize(): void {
    this.#resize(() => this.target.raw.size)
  }

  #resize(size: () => RawTerminal['size']): void {
    const { client, rank } = this.target
    if (!this.#job.terminal || this.#attachedTo === null) return
    // Ignore failures: the next change sends the size again.
    this.#sizing = this.#sizing
      .then(() => client.jobs.resize(this.#job.job_id, size(), { rank }))
      .catch(() => undefined)
  }

  async #finish(isHungUp: boolean): Promise<number> {
    const job = this.#job
    if (isFinal(job.status)) {
      await note(this.context, formatState(job, this.context))
      const lines = job.status === 'failed' ? await readFailure(this.target.client, job.job_id) : []
      for (const line of lines) await note(this.context, line)
      return exitCodeOf(job)
    }
    if (isHungUp) return exitCodes.failed
    await this.context.terminal.err(`\n[detached from ${job.job_id}]\n`)
    return exitCodes.ok
  }

  /** Prints a message of gpuq. The raw terminal needs a carriage return. */
  async #print(text: string): Promise<void> {
    await note(this.context, `${text}\r`)
  }
}
