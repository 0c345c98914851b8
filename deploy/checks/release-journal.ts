/**
 * What a run of the release suite has done so far, in `test-results/release.json`. An interrupted run continues after the
 * checks that have passed, as long as the code is the same.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { formatDuration } from '../run/report.mjs'
import type { Outcome } from './test-reports'

const outcomeSchema = z.object({
  file: z.string(),
  title: z.string(),
  fullTitle: z.string(),
  passed: z.boolean(),
  ms: z.number(),
  notes: z.record(z.string(), z.string()),
}) satisfies z.ZodType<Outcome>

const entrySchema = z.object({
  name: z.string(),
  date: z.iso.datetime(),
  ms: z.number(),
  passed: z.number(),
  failed: z.number(),
  problems: z.array(z.string()),
  /** The tests that the table of hostile rows needs. */
  outcomes: z.array(outcomeSchema),
})

const codeSchema = z.object({
  /** The commit. Empty: not a checkout of git. */
  commit: z.string(),
  /** A hash of the uncommitted changes. Empty: none. */
  changes: z.string(),
  node: z.string(),
})

const journalSchema = z.object({
  code: codeSchema,
  machine: z.string(),
  /** Chooses what is random in all parts. */
  seed: z.number(),
  begun: z.iso.datetime(),
  entries: z.array(entrySchema),
})

export type JournalEntry = z.infer<typeof entrySchema>
export type TestedCode = z.infer<typeof codeSchema>

interface NewRun {
  code: TestedCode
  machine: string
  seed: number
  now: Date
  /** Forgets an earlier run, even if it can be continued. */
  restart: boolean
}

export class ReleaseJournal {
  readonly #path: string
  #state: z.infer<typeof journalSchema>

  private constructor(path: string, state: z.infer<typeof journalSchema>) {
    this.#path = path
    this.#state = state
  }

  /** Continues the run of the same code that is in `root`, or begins one. */
  static open(root: string, { code, machine, seed, now, restart }: NewRun): ReleaseJournal {
    const path = join(root, 'test-results', 'release.json')
    const earlier = restart ? null : read(path)
    // Without a commit nobody knows whether the code is the same.
    const isSame =
      earlier !== null && code.commit !== '' && JSON.stringify(earlier.code) === JSON.stringify(code)
    const begun = { code, machine, seed, begun: now.toISOString(), entries: [] }
    return new ReleaseJournal(path, isSame && earlier.entries.length > 0 ? earlier : begun)
  }

  get seed(): number {
    return this.#state.seed
  }

  /** All checks that have ended so far. */
  get entries(): readonly JournalEntry[] {
    return this.#state.entries
  }

  /** The entry of a check that has passed; undefined: it must run. */
  findPassed(name: string): JournalEntry | undefined {
    return this.entries.find((entry) => entry.name === name && entry.failed === 0)
  }

  /** Keeps what became of a check, instead of its earlier entry. */
  record(entry: JournalEntry): void {
    const others = this.entries.filter(({ name }) => name !== entry.name)
    this.#state = { ...this.#state, entries: [...others, entry] }
    mkdirSync(dirname(this.#path), { recursive: true })
    // A process that is killed while it writes must not destroy the run.
    writeFileSync(`${this.#path}.new`, `${JSON.stringify(this.#state, null, 1)}\n`)
    renameSync(`${this.#path}.new`, this.#path)
  }

  /**
   * Writes the report of the run, `test-results/release.md`.
   * @param names all checks of the suite, in their order
   * @param notes more lines, such as the totals of the hostile rows
   * @returns the path
   */
  writeReport(names: readonly string[], notes: readonly string[]): string {
    const path = join(dirname(this.#path), 'release.md')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, describeRun(this.#state, names, notes))
    return path
  }
}

function read(path: string): z.infer<typeof journalSchema> | null {
  try {
    return journalSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

function describeRun(
  { code, machine, seed, begun, entries }: z.infer<typeof journalSchema>,
  names: readonly string[],
  notes: readonly string[],
): string {
  const total = (key: 'passed' | 'failed' | 'ms') => entries.reduce((sum, entry) => sum + entry[key], 0)
  const missing = names.filter((name) => !entries.some((entry) => entry.name === name))
  const changes = code.changes === '' ? '' : ' with uncommitted changes'
  const rows = entries.map(({ name, passed, failed, ms, date }) => {
    const mark = failed === 0 ? 'yes' : '**no**'
    return `| ${name} | ${mark} | ${passed} | ${failed} | ${formatDuration(ms)} | ${date.slice(0, 16).replace('T', ' ')} |`
  })
  return [
    '# Release suite',
    '',
    `Code: ${code.commit === '' ? 'unknown' : code.commit}${changes}. Node.js ${code.node}. Seed ${seed}.`,
    `Machine: ${machine}. Begun ${begun.slice(0, 16).replace('T', ' ')} UTC.`,
    '',
    `**${total('passed')} passed, ${total('failed')} failed, in ${formatDuration(total('ms'))} of checks.** ` +
      (missing.length === 0 ? 'All checks have ended.' : `Not run: ${missing.join(', ')}.`),
    '',
    '| check | passed | tests passed | failed | time | ended (UTC) |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    ...entries.flatMap(({ name, problems }) => problems.map((problem) => `- ${name}: ${problem}`)),
    ...notes.map((note) => `- ${note}`),
    '',
  ].join('\n')
}
