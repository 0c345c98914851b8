/** Longest sequence that is looked for: one that a piece of output cut is waited for so far. */
const longest = 64
const esc = '\u001b'
const enquiry = '\u0005'
const bell = '\u0007'

/** `CSI ? 25 l` and the like: a mode of the terminal that a program sets, and its end. */
const modes = new RegExp(`${esc}\\[\\?([\\d;]{1,40})([hl])`, 'g')
/** The keypad of programs for the whole screen. */
const keypads = new RegExp(`${esc}([=>])`, 'g')
/** On without anybody's doing: wrapping, and the cursor. */
const usuallyOn = new Set(['7', '25'])
const alternateScreens = ['1049', '1047', '47']

/** Remembers how a program has left the terminal, so that who detaches gets theirs back as it was. */
export class TerminalState {
  readonly #changed = new Map<string, 'h' | 'l'>()
  #keypad = false
  #rest = ''

  /** Looks at what the program writes. */
  watch(text: string): void {
    const all = this.#rest + text
    for (const [, numbers = '', end] of all.matchAll(modes)) {
      for (const mode of numbers.split(';')) this.#changed.set(mode, end === 'h' ? 'h' : 'l')
    }
    for (const [, end] of all.matchAll(keypads)) this.#keypad = end === '='
    const begun = all.lastIndexOf(esc)
    this.#rest = begun !== -1 && all.length - begun < longest ? all.slice(begun) : ''
  }

  /** What undoes it all: the other screen first, so that the rest is for the one that was there before. */
  restore(): string {
    const wrong = [...this.#changed].filter(([mode, end]) => (end === 'h') !== usuallyOn.has(mode))
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

/**
 * Questions that a terminal answers as if it were typing: where the cursor is, which terminal it is, what its colours
 * and settings are.
 */
const questions = new RegExp(
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

/** What was written before somebody looked, without the questions in it: answers to them would be typed into the job. */
export function withoutQuestions(text: string): string {
  return text.replace(questions, '')
}
