import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { JobLine } from './jobs-file'

/**
 * Which lines of a jobs file were taken. Several watchers may write this record at once, each only at its end, so what
 * it says is decided by the order of its entries: of two that take the same, the first one's key is everybody's.
 */

const count = z.number().int().min(1)
const entryOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ account: z.string(), line: z.string(), ...shape })

const takeSchema = entryOf({ nth: count, key: z.string() })
const doneSchema = entryOf({ nth: count, job: z.string().nullable() })
const forgetSchema = entryOf({ forgotten: count })

export const entrySchema = z.union([takeSchema, doneSchema, forgetSchema])
export type Entry = z.output<typeof entrySchema>

/** One taking of a line. The key makes sending it again harmless. */
export interface Take {
  line: string
  /** The first, second, … time that the line stands in the file. */
  nth: number
  key: string
}

interface LineState {
  taken: number
  /** So many of them stand in the file no more. */
  forgotten: number
  /** Taken, and not yet known to be a job. */
  open: Map<number, string>
}

/** What tells a line from others: all that it says, however it is written. */
export function nameLine({ priority, script, condaEnv, args, allowedGpus }: JobLine): string {
  const text = JSON.stringify([priority, script, condaEnv, args, allowedGpus])
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** The record as one account sees it. */
export class ClaimLog {
  readonly #lines = new Map<string, LineState>()

  constructor(readonly account: string) {}

  add(entry: Entry): void {
    if (entry.account !== this.account) return
    const state = this.#lines.get(entry.line) ?? { taken: 0, forgotten: 0, open: new Map<number, string>() }
    this.#lines.set(entry.line, state)
    if ('forgotten' in entry) {
      state.forgotten = Math.max(state.forgotten, Math.min(entry.forgotten, state.taken))
      for (const nth of state.open.keys()) if (nth <= state.forgotten) state.open.delete(nth)
    } else if ('job' in entry) state.open.delete(entry.nth)
    else if (entry.nth === state.taken + 1) {
      state.taken = entry.nth
      state.open.set(entry.nth, entry.key)
    }
  }

  /** How many times the line was taken and, as far as is known, still stands in the file. */
  standing(line: string): number {
    const { taken, forgotten } = this.#state(line)
    return taken - forgotten
  }

  /** What is still to be sent of a line. */
  open(line: string): Take[] {
    return [...this.#state(line).open].map(([nth, key]) => ({ line, nth, key }))
  }

  isOpen({ line, nth }: Take): boolean {
    return this.#state(line).open.has(nth)
  }

  /** The takings that are missing, for the lines as often as they stand in the file. */
  missing(present: ReadonlyMap<string, number>): { line: string; nth: number }[] {
    return [...present].flatMap(([line, times]) => {
      const { taken } = this.#state(line)
      const more = Math.max(0, times - this.standing(line))
      return Array.from({ length: more }, (_, at) => ({ line, nth: taken + 1 + at }))
    })
  }

  /** How many takings of a line are over when it stands in the file so many times. */
  forgottenAt(line: string, times: number): number {
    return this.#state(line).taken - times
  }

  /** The lines that stand in the file less often than they were taken. */
  gone(present: ReadonlyMap<string, number>): Map<string, number> {
    const gone = new Map<string, number>()
    for (const line of this.#lines.keys()) {
      const times = present.get(line) ?? 0
      if (times < this.standing(line)) gone.set(line, times)
    }
    return gone
  }

  #state(line: string): LineState {
    return this.#lines.get(line) ?? { taken: 0, forgotten: 0, open: new Map() }
  }
}

/** Since when a line is gone, and how often it still stood there. */
export type GoneSince = ReadonlyMap<string, { times: number; since: number }>

/**
 * A line is forgotten only after it was gone for a while: editors empty a file before they write it again, and a line
 * that came back must not run again. Once forgotten, the same line is a new one.
 */
export function decideForgotten(
  gone: ReadonlyMap<string, number>,
  before: GoneSince,
  now: number,
  afterMs: number,
): { forget: { line: string; times: number }[]; since: GoneSince } {
  const since = new Map<string, { times: number; since: number }>()
  const forget: { line: string; times: number }[] = []
  for (const [line, times] of gone) {
    const earlier = before.get(line)
    const known = earlier?.times === times ? earlier : { times, since: now }
    if (now - known.since >= afterMs) forget.push({ line, times })
    else since.set(line, known)
  }
  return { forget, since }
}
