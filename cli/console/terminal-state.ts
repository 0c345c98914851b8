/** The longest sequence to look for. An incomplete sequence is kept up to this length. */
const maxSequence = 64
const esc = '\u001b'
const enquiry = '\u0005'
const bell = '\u0007'

/** `CSI ? 25 l` and similar: sets or resets a terminal mode. */
const modes = new RegExp(`${esc}\\[\\?([\\d;]{1,40})([hl])`, 'g')
/** The application keypad mode of full-screen programs. */
const keypads = new RegExp(`${esc}([=>])`, 'g')
/** On by default: line wrapping and the cursor. */
const onByDefault = new Set(['7', '25'])
const alternateScreens = ['1049', '1047', '47']

/** Tracks which modes a program has set, so that the terminal can be restored on detach. */
export class TerminalState {
  readonly #changed = new Map<string, 'h' | 'l'>()
  #keypad = false
  #rest = ''

  /** Parses the output of the program. */
  watch(text: string): void {
    const all = this.#rest + text
    for (const [, numbers = '', end] of all.matchAll(modes)) {
      for (const mode of numbers.split(';')) this.#changed.set(mode, end === 'h' ? 'h' : 'l')
    }
    for (const [, end] of all.matchAll(keypads)) this.#keypad = end === '='
    const begun = all.lastIndexOf(esc)
    this.#rest = begun !== -1 && all.length - begun < maxSequence ? all.slice(begun) : ''
  }

  /**
   * The sequence that resets all modes. The alternate screen comes first, so that the rest applies to the
   * normal one.
   */
  restore(): string {
    const wrong = [...this.#changed].filter(([mode, end]) => (end === 'h') !== onByDefault.has(mode))
    const leaving = wrong.filter(([mode]) => alternateScreens.includes(mode))
    const others = wrong.filter(([mode]) => !alternateScreens.includes(mode))
    const undo = ([mode, end]: [string, string]) => `${esc}[?${mode}${end === 'h' ? 'l' : 'h'}`
    return [
      ...leaving.map(undo),
      ...others.map(undo),
      ...(this.#keypad ? [`${esc}>`] : []),
      `${esc}[0m`,
    ].join('')
  }
}

/** Queries that a terminal answers with input: cursor position, terminal type, colours and settings. */
const queries = new RegExp(
  [
    enquiry,
    `${esc}\\[[>=?]?[\\d;]*[cn]`,
    `${esc}\\[>[\\d;]*q`,
    `${esc}\\[\\??[\\d;]*\\$p`,
    `${esc}\\[[\\d;]*t`,
    `${esc}\\[\\?u`,
    `${esc}Z`,
    `${esc}\\](?:4;\\d+|1\\d|52;\\w*);\\?(?:${bell}|${esc}\\\\)`,
    `${esc}P[+$]q[^${esc}]*${esc}\\\\`,
  ].join('|'),
  'g',
)

/** Removes queries from earlier output: the terminal's replies would be sent to the job as input. */
export function withoutQueries(text: string): string {
  return text.replace(queries, '')
}
