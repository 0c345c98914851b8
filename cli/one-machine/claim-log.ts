import { z } from 'zod'

/**
 * Records which lines of a jobs file were claimed. Several watchers may append to it at the same time. The
 * order of entries decides: if two watchers claim the same line, both use the key of the first entry.
 */

const count = z.number().int().min(1)
const entryOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ account: z.string(), line: z.string(), ...shape })

const claimSchema = entryOf({ nth: count, key: z.string() })
const doneSchema = entryOf({ nth: count, job: z.string().nullable() })
const forgetSchema = entryOf({ forgotten: count })

/** A state file was written. Deleting the file resets the claims that were made until then. */
const stateSchema = z.object({ account: z.string(), state: z.string(), path: z.string() })
const resetSchema = z.object({ account: z.string(), reset: z.string() })

export const entrySchema = z.union([claimSchema, doneSchema, forgetSchema, stateSchema, resetSchema])
export type Entry = z.output<typeof entrySchema>

/** One claim of a line. The key makes it safe to send the line again. */
export interface Claim {
  line: string
  /** The first, second, … occurrence of the line in the file. */
  nth: number
  key: string
}

interface LineState {
  taken: number
  /** How many occurrences are no longer in the file. */
  forgotten: number
  /** Claims that have no known job yet. */
  open: Map<number, string>
  /** The job of the newest claim that has one. */
  job: string | null
}

/** The claim log of one account. */
export class ClaimLog {
  readonly #lines = new Map<string, LineState>()
  /** The last job of each line before the last reset. */
  readonly #before = new Map<string, string>()
  /** The id of each state file that was written, by path. */
  readonly #states = new Map<string, string>()

  constructor(readonly account: string) {}

  add(entry: Entry): void {
    if (entry.account !== this.account) return
    if ('state' in entry) this.#states.set(entry.path, entry.state)
    else if ('reset' in entry) this.#reset(entry.reset)
    else this.#addLine(entry)
  }

  /** The id of the state file that was written at this path; null: none since the last reset. */
  stateId(path: string): string | null {
    return this.#states.get(path) ?? null
  }

  /** Two watchers may notice the same deletion: the second reset of a state file has no effect. */
  #reset(id: string): void {
    const path = [...this.#states].find(([, state]) => state === id)?.[0]
    if (path === undefined) return
    this.#states.delete(path)
    for (const [line, { job }] of this.#lines) if (job !== null) this.#before.set(line, job)
    this.#lines.clear()
  }

  #addLine(entry: z.output<typeof claimSchema | typeof doneSchema | typeof forgetSchema>): void {
    const state = this.#lines.get(entry.line) ?? {
      taken: 0,
      forgotten: 0,
      open: new Map<number, string>(),
      job: null,
    }
    this.#lines.set(entry.line, state)
    if ('forgotten' in entry) {
      state.forgotten = Math.max(state.forgotten, Math.min(entry.forgotten, state.taken))
      for (const nth of state.open.keys()) if (nth <= state.forgotten) state.open.delete(nth)
    } else if ('job' in entry) {
      state.open.delete(entry.nth)
      state.job = entry.job
    } else if (entry.nth === state.taken + 1) {
      state.taken = entry.nth
      state.open.set(entry.nth, entry.key)
    }
  }

  /** How many claimed occurrences of the line are still in the file, as far as is known. */
  countPresent(line: string): number {
    const { taken, forgotten } = this.#state(line)
    return taken - forgotten
  }

  /** The claims of a line that were not sent yet. */
  open(line: string): Claim[] {
    return [...this.#state(line).open].map(([nth, key]) => ({ line, nth, key }))
  }

  isOpen({ line, nth }: Claim): boolean {
    return this.#state(line).open.has(nth)
  }

  /** The claims that are missing for these lines and their number of occurrences. */
  missing(present: ReadonlyMap<string, number>): { line: string; nth: number }[] {
    return [...present].flatMap(([line, times]) => {
      const { taken } = this.#state(line)
      const more = Math.max(0, times - this.countPresent(line))
      return Array.from({ length: more }, (_, at) => ({ line, nth: taken + 1 + at }))
    })
  }

  /** The job of the line's newest claim; null: unknown. */
  lastJob(line: string): string | null {
    return this.#state(line).job
  }

  /** The job that a line had before a reset, if the claim is the first one since then; null: none, or unknown. */
  jobBeforeReset({ line, nth }: Claim): string | null {
    return nth === 1 ? (this.#before.get(line) ?? null) : null
  }

  /** How many claims of a line are over if it appears this often in the file. */
  forgottenAt(line: string, times: number): number {
    return this.#state(line).taken - times
  }

  /** The lines that appear less often in the file than they were claimed. */
  gone(present: ReadonlyMap<string, number>): Map<string, number> {
    const gone = new Map<string, number>()
    for (const line of this.#lines.keys()) {
      const times = present.get(line) ?? 0
      if (times < this.countPresent(line)) gone.set(line, times)
    }
    return gone
  }

  #state(line: string): LineState {
    return this.#lines.get(line) ?? { taken: 0, forgotten: 0, open: new Map(), job: null }
  }
}

/** Since when a line has been missing, and how often it still appears. */
export type MissingSince = ReadonlyMap<string, { times: number; since: number }>

/**
 * Forgets a line only after it was missing for a while: editors truncate a file before they write it, and a
 * line that comes back must not run again. After that, the same line counts as new.
 */
export function decideForgotten(
  gone: ReadonlyMap<string, number>,
  before: MissingSince,
  now: number,
  afterMs: number,
): { forget: { line: string; times: number }[]; since: MissingSince } {
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
