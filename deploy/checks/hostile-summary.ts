import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { titlePattern } from './declared-tests'
import type { TestedRow } from './hostile-rows'
import type { Outcome } from './test-reports'

interface SummaryRow {
  name: string
  /** How many tests or requests tried it. */
  moments: number
  passed: boolean
  note?: string
}

export interface SuiteSummary {
  suite: 'hostile'
  date: string
  machine: string
  /** Repeats the requests of the fuzzer; null if it did not run. */
  seed: number | null
  rows: SummaryRow[]
}

/** Summarises the tests of each row. A test that did not run counts as failed. */
export function summariseHostile(
  rows: readonly TestedRow[],
  outcomes: readonly Outcome[],
  date: Date,
): SuiteSummary {
  const seed = outcomes.find(({ notes }) => notes.seed !== undefined)?.notes.seed
  return {
    suite: 'hostile',
    date: date.toISOString(),
    machine: describeMachine(),
    seed: seed === undefined ? null : Number(seed),
    rows: rows.map((row) => summariseRow(row, outcomes)),
  }
}

/** This machine in words: processors, memory, kernel. */
export function describeMachine(): string {
  const [processor] = cpus()
  const memoryGib = Math.round(totalmem() / 1024 ** 3)
  return `${cpus().length} × ${processor?.model.trim()}, ${memoryGib} GiB, ${type()} ${release()}`
}

function summariseRow({ name, tests }: TestedRow, outcomes: readonly Outcome[]): SummaryRow {
  const outcomesOf = ({ file, title }: TestedRow['tests'][number]) => {
    const pattern = titlePattern(title)
    return outcomes.filter((outcome) => outcome.file === file && pattern.test(outcome.title))
  }
  const ran = tests.flatMap(outcomesOf)
  const failed = ran.filter(({ passed }) => !passed)
  const absent = tests.filter((test) => outcomesOf(test).length === 0)
  const notes = [
    ...failed.map(({ title }) => `failed: ${title}`),
    ...absent.map(({ title }) => `did not run: ${title}`),
    ...ran.flatMap(({ notes }) => notes.note ?? []),
  ]
  return {
    name,
    moments: ran.reduce((sum, { notes }) => sum + Number(notes.moments ?? 1), 0),
    passed: failed.length === 0 && absent.length === 0,
    ...(notes.length > 0 && { note: notes.join('; ') }),
  }
}

/** The totals, and each row that failed. */
export function describeSummary({ rows, seed }: SuiteSummary): string {
  const failed = rows.filter(({ passed }) => !passed)
  return [
    `${rows.length - failed.length} of ${rows.length} rows passed, GPUQ_TEST_SEED=${seed}`,
    ...failed.map(({ name, note = '' }) => `✗ ${name}: ${note}`),
  ].join('\n  ')
}

/** Writes the summary to `test-results`, and returns the path. */
export function writeSummary(root: string, summary: SuiteSummary): string {
  const directory = join(root, 'test-results')
  mkdirSync(directory, { recursive: true })
  const path = join(directory, `${summary.suite}.json`)
  writeFileSync(path, `${JSON.stringify(summary, null, 2)}\n`)
  return path
}
