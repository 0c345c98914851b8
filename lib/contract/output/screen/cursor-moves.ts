/** The most lines that the cursor moves upwards, as on a high screen. */
export const mostRowsUp = 50
/** The rightmost column that a move of the cursor reaches. */
export const rightmost = 1000

/** A move of the cursor, or an erasure from it on. */
export interface CursorMove {
  kind: 'up' | 'down' | 'right' | 'left' | 'column' | 'eraseLine' | 'eraseBelow'
  /** How far; for `column` from 0; for `eraseLine` 0 (to the end), 1 (to the start) or 2 (all). */
  count: number
  /** It goes to the start of the line too. */
  toStart?: true
}

const steps = { A: 'up', B: 'down', C: 'right', D: 'left', E: 'down', F: 'up' } as const

/**
 * Reads the control sequences with which progress bars move the cursor. Null for all others: moves to a place of the screen would
 * hide what was printed before.
 */
export function readCursorMove(parameters: string, final: string): CursorMove | null {
  if (!/^\d{0,9}$/.test(parameters)) return null
  const number = Number(parameters)
  const count = Math.min(Math.max(number, 1), rightmost)
  if (isStep(final)) {
    const kind = steps[final]
    return final === 'E' || final === 'F' ? { kind, count, toStart: true } : { kind, count }
  }
  if (final === 'G') return { kind: 'column', count: count - 1 }
  if (final === 'K' && number <= 2) return { kind: 'eraseLine', count: number }
  if (final === 'J' && number === 0) return { kind: 'eraseBelow', count: 0 }
  return null
}

function isStep(final: string): final is keyof typeof steps {
  return Object.hasOwn(steps, final)
}

/**
 * The lines that the cursor of a program may move to: those that the program itself has printed, and not more than
 * {@link mostRowsUp} of them upwards.
 */
export class CursorRows {
  #above = 0
  #below = 0

  /** How many lines are above the cursor's, which can be reached. */
  get above(): number {
    return this.#above
  }

  get below(): number {
    return this.#below
  }

  /** Moves to the next line. Returns whether this is a new one. */
  lineFeed(): boolean {
    const isNew = this.#below === 0
    if (!isNew) this.#below--
    this.#above = Math.min(this.#above + 1, mostRowsUp)
    return isNew
  }

  /** Returns how far the cursor moves. */
  move(kind: 'up' | 'down', count: number): number {
    const moved = Math.min(count, kind === 'up' ? this.#above : this.#below)
    const down = kind === 'up' ? -moved : moved
    this.#above += down
    this.#below -= down
    return moved
  }

  /** What follows is below a line of somebody else. */
  restart(): void {
    this.#above = 0
    this.#below = 0
  }
}

const letters = { up: 'A', down: 'B', right: 'C', left: 'D' } as const

/**
 * The sequence for a terminal that moves the cursor no further than {@link CursorRows} allows; null if the given one is no move. Other text
 * may stand above the lines of the program, and it must not write over that.
 */
export function moveOnTerminal(rows: CursorRows, parameters: string, final: string): string | null {
  const move = readCursorMove(parameters, final)
  if (move === null) return null
  const { kind, count, toStart } = move
  const start = toStart ? '\r' : ''
  switch (kind) {
    case 'up':
    case 'down': {
      const moved = rows.move(kind, count)
      return start + (moved === 0 ? '' : `\u001B[${moved}${letters[kind]}`)
    }
    case 'right':
    case 'left':
      return `\u001B[${count}${letters[kind]}`
    case 'column':
      return `\u001B[${count + 1}G`
    case 'eraseLine':
      return `\u001B[${parameters}K`
    case 'eraseBelow':
      return '\u001B[J'
  }
}

/** Moves the cursor below all lines of the program, so that what others print does not write over them. */
export function leaveLines(rows: CursorRows): string {
  const { below } = rows
  rows.restart()
  return below === 0 ? '' : `\u001B[${below}B\r\n`
}
