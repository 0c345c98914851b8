import type { Terminal } from '../console/terminal'

const redrawMs = 100
const lineMs = 5_000
const barWidth = 20

/** Shows progress: a bar on a terminal, otherwise a line from time to time. */
export class Progress {
  #done = 0
  #printed: number
  readonly #start: number

  /** `doing`: a word such as `sending`. `now`: a monotonic clock in ms. */
  constructor(
    readonly terminal: Terminal,
    readonly doing: string,
    readonly totalBytes: number,
    readonly now: () => number = () => performance.now(),
  ) {
    this.#start = now()
    this.#printed = this.#start
  }

  async add(bytes: number): Promise<void> {
    this.#done += bytes
    const { terminal } = this
    const at = this.now()
    if (at - this.#printed < (terminal.errIsTerminal ? redrawMs : lineMs)) return
    this.#printed = at
    if (terminal.errIsTerminal) await terminal.errAsIs(`\r${this.#bar(at)}\u001b[K`)
    else await terminal.err(`gpuq: ${this.#describe(at)}\n`)
  }

  /** Clears the bar. The caller reports the result. */
  async end(): Promise<void> {
    if (this.terminal.errIsTerminal) await this.terminal.errAsIs('\r\u001b[K')
  }

  #bar(at: number): string {
    const part = Math.min(1, this.#done / Math.max(1, this.totalBytes))
    const full = Math.floor(part * barWidth)
    return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] ${this.#describe(at)}`
  }

  #describe(at: number): string {
    const { doing, totalBytes } = this
    const rate = formatBytes((this.#done * 1000) / Math.max(1, at - this.#start))
    return `${doing} ${formatBytes(this.#done)} of ${formatBytes(totalBytes)}, ${rate}/s`
  }
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats a size with a suitable unit: `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024
    unit++
  }
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`
}
