/**
 * Labels the lines of several ranks that are written to one place, as `[rank 1] `. A line that another rank's output
 * breaks off is ended there, and goes on under its label again. One instance for each place.
 */
export class RankLabels {
  /** Whose line is not ended yet. */
  #open: number | null = null

  /** What to write for the next piece of a rank's output. */
  label(rank: number, text: string): string {
    if (text === '') return ''
    const goesOn = this.#open === rank
    const broken = this.#open !== null && !goesOn ? '\n' : ''
    const ends = text.endsWith('\n')
    const lines = (ends ? text.slice(0, -1) : text).split('\n')
    const mark = `[rank ${rank}] `
    const labelled = lines.map((line, index) => (index === 0 && goesOn ? line : mark + line)).join('\n')
    this.#open = ends ? null : rank
    return broken + labelled + (ends ? '\n' : '')
  }
}
