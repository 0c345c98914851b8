import { stripVTControlCharacters } from 'node:util'
import type { JobDetail } from '@/lib/contract/jobs'
import type { OutputStream, Printed } from '@/lib/contract/output/printed-output'
import { ScreenLines } from '@/lib/contract/output/screen/screen-lines'
import { type Colour, paint, type Terminal, withoutControls } from '../console/terminal'
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

/** Prints the lines of a job, each after the job's name. A line is printed when the program no longer changes it. */
export class PrefixedLines implements JobSink {
  #prefix = ''
  #jobId = ''
  #streams = { stdout: new LastLines(), stderr: new LastLines() }

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
    await this.#print(stream, this.#streams[stream].write(text))
  }

  async ended(): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) await this.#print(stream, this.#streams[stream].end())
    this.#streams = { stdout: new LastLines(), stderr: new LastLines() }
    this.labels.remove(this.#jobId)
  }

  async #print(stream: OutputStream, lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return
    const text = lines.map((line) => `${this.#prefix}${cleanLine(line)}\n`).join('')
    await (stream === 'stdout' ? this.terminal.out(text) : this.terminal.err(text))
  }
}

/** The lines of a stream in their last state: a progress bar writes its lines again and again. */
class LastLines {
  /** The texts to print, by number. */
  readonly #waiting = new Map<number, string>()
  #lines = 0
  readonly #screen = new ScreenLines({
    begin: () => {
      this.#waiting.set(this.#lines, '')
      return this.#lines++
    },
    change: (line, text) => this.#waiting.set(line, text),
  })

  /** Returns the lines that are complete. */
  write(text: string): string[] {
    this.#screen.write(text)
    if (this.#screen.lineLength > maxLine) this.#screen.write('\n')
    this.#screen.settle()
    return this.#take((line) => this.#screen.isOutOfReach(line))
  }

  end(): string[] {
    this.#screen.end()
    return this.#take(() => true)
  }

  #take(isWanted: (line: number) => boolean): string[] {
    const taken = [...this.#waiting].filter(([line]) => isWanted(line)).sort(([a], [b]) => a - b)
    for (const [line] of taken) this.#waiting.delete(line)
    return taken.map(([, text]) => text)
  }
}

function cleanLine(line: string): string {
  return withoutControls(stripVTControlCharacters(line).replaceAll('\t', '    '))
}
