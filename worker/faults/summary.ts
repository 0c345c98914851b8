import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { dirname, join } from 'node:path'

/** Where the summary of the latest run is. `docs/reliability.md` is written from such summaries. */
export const summaryFile = join(import.meta.dirname, '..', '..', 'test-results', 'faults.json')

/** What became of one fault. */
export interface FaultRow {
  name: string
  moments: number
  passed: number
  longestRecoveryMs: number
  checked: string
  note?: string
}

interface Summary {
  suite: 'faults'
  date: string
  machine: string
  seed: number
  rows: FaultRow[]
}

const describeMachine = () =>
  `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 1024 ** 3)} GiB, ${type()} ${release()}`

/** Begins the summary of a run. A run with the same seed as the last one continues it: each fault has the same moments. */
export async function beginSummary(seed: number): Promise<void> {
  const last = await readSummary()
  await write({
    suite: 'faults',
    date: new Date().toISOString(),
    machine: describeMachine(),
    seed,
    rows: last?.seed === seed ? last.rows : [],
  })
}

/**
 * Adds what became of one fault, instead of its earlier row. The test files run one after the other, so nobody else
 * writes.
 */
export async function addRow(row: FaultRow): Promise<void> {
  const summary = await readSummary()
  if (!summary) throw new Error(`${summaryFile} is missing`)
  await write({ ...summary, rows: [...summary.rows.filter(({ name }) => name !== row.name), row] })
}

async function readSummary(): Promise<Summary | null> {
  const text = await readFile(summaryFile, 'utf8').catch(() => null)
  return text === null ? null : JSON.parse(text)
}

async function write(summary: Summary): Promise<void> {
  await mkdir(dirname(summaryFile), { recursive: true })
  await writeFile(summaryFile, `${JSON.stringify(summary, null, 2)}\n`)
}
