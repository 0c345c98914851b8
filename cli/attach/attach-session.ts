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

/** So much of what was printed before is shown to whoever attaches, or a little more. */
const tailBytes = 64 * 1024
/** Long enough for a program to be told of both sizes, and too short to read what it draws for the first. */
const redrawMs = 150
const ctrlC = 0x03
const bell = '\u0007'

interface Attaching {
  client: Client
  job: JobDetail
  raw: RawTerminal
  escapeKey: EscapeKey
  /** Which task of a job over several nodes; left out: the first one's terminal, or the output of all. */
  rank?: number | undefined
}

/** A person's terminal on a running job's: what the job writes goes there, what is typed there goes to the job. */
export class AttachSession {
  readonly #leaving = new AbortController()
  readonly #state = new TerminalState()
  readonly #sender: KeySender
  readonly #keys: DetachKeys
  #job: JobDetail
  #attachedTo: number | null = null
  /** The program was heard: it runs, whether that is told yet or not. */
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

  /** Resolves with the job's exit code once it has ended, with 0 when the person has left it running. */
  async run(): Promise<number> {
    const { raw, escapeKey } = this.attaching
    const signal = AbortSignal.any([this.#leaving.signal, raw.gone])
    raw.onKeys((bytes) => this.#take(bytes))
    raw.onResize(() => this.#tellSize())
    try {
      await this.#say(`${escapeKey.name} d leaves the job running.`)
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
      await this.#say('The job is tried again. What follows is its next attempt.')
    } else if (happening.kind === 'job') await this.#hear(happening.job)
  }

  async #write(printed: readonly Printed[]): Promise<void> {
    if (!this.#job.terminal) {
      for (const one of printed) await this.#writeLines(one)
      return
    }
    const own = printed.filter(({ rank }) => (rank ?? 0) === (this.attaching.rank ?? 0))
    const text = own.map((one) => one.text).join('')
    // It may come before the news that the job runs, and who sees a question answers it. What gpuq says is on stderr.
    this.#talks ||= own.some(({ stream }) => stream === 'stdout')
    this.#state.watch(text)
    // Until the job was heard of for the first time, it is the past that comes.
    await this.context.terminal.out(this.#said === '' ? withoutQuestions(text) : text)
  }

  async #hear(job: JobDetail): Promise<void> {
    const before = this.#said
    this.#job = job
    if (!job.placed) this.#talks = false
    this.#said = formatState(job, this.context)
    // While it runs, the screen is the program's own.
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

  /** A program for the whole screen draws it anew when its size changes: so it changes for a moment, as others do it. */
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
    // The next change says it again: a size that did not arrive is no reason to leave.
    this.#sizing = this.#sizing
      .then(() => client.jobs.resize(this.#job.job_id, size(), { rank }))
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

  /** A line of gpuq's own on a terminal that makes no new lines by itself. */
  async #say(text: string): Promise<void> {
    await note(this.context, `${text}\r`)
  }
}
