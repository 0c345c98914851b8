import { stripVTControlCharacters } from 'node:util'
import type { JobDetail } from '@/lib/contract/jobs'
import type { OutputStream, Printed } from '@/lib/contract/output/printed-output'
import { type Colour, paint, type Terminal, withoutControls } from '../terminal/terminal'
import type { JobSink } from './job-sink'

/** A longer line is shown in pieces. */
const maxLine = 16_384
const colours: readonly Colour[] = ['cyan', 'green', 'yellow', 'bold']

/** Names of the jobs that print now. Two jobs with one name get different labels. */
export class JobLabels {
  readonly #used = new Map<string, string>()
  #next = 0

  add({ job_id, name, competition_id }: JobDetail): { label: string; colour: Colour } {
    const own = withoutControls(name ?? competition_id)
    const isTaken = [...this.#used].some(([id, label]) => label === own && id !== job_id)
    const label = isTaken ? `${own} (${job_id.slice(-6)})` : own
    this.#used.set(job_id, label)
    return { label, colour: colours[this.#next++ % colours.length] ?? 'cyan' }
  }

  remove(jobId: string): void {
    this.#used.delete(jobId)
  }
}

/** Prints the lines of a job, each after the job's name. */
export class PrefixedLines implements JobSink {
  #prefix = ''
  #jobId = ''
  readonly #rest: Record<OutputStream, string> = { stdout: '', stderr: '' }

  constructor(
    readonly terminal: Terminal,
    readonly labels: JobLabels,
  ) {}

  async started(job: JobDetail): Promise<void> {
    this.#jobId = job.job_id
    const { label, colour } = this.labels.add(job)
    const { outIsTerminal, coloursWanted } = this.terminal
    this.#prefix = `${paint(label, colour, outIsTerminal && coloursWanted)} | `
  }

  async write({ stream, text }: Printed): Promise<void> {
    const lines = (this.#rest[stream] + text).split('\n')
    const last = lines.pop() ?? ''
    this.#rest[stream] = last.length > maxLine ? '' : last
    if (last.length > maxLine) lines.push(last)
    await this.#print(stream, lines)
  }

  async ended(): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#rest[stream] !== '') await this.#print(stream, [this.#rest[stream]])
      this.#rest[stream] = ''
    }
    this.labels.remove(this.#jobId)
  }

  async #print(stream: OutputStream, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    const text = lines.map((line) => `${this.#prefix}${cleanLine(line)}\n`).join('')
    await (stream === 'stdout' ? this.terminal.out(text) : this.terminal.err(text))
  }
}

/** A progress bar writes its line again and again: only the last state is shown. */
function cleanLine(line: string): string {
  const shown = stripVTControlCharacters(line).replace(/\r+$/, '')
  return withoutControls(shown.slice(shown.lastIndexOf('\r') + 1).replaceAll('\t', '    '))
}
