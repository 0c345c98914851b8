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

/** Begins the summary of a run. */
export async function beginSummary(seed: number): Promise<void> {
  await write({
    suite: 'faults',
    date: new Date().toISOString(),
    machine: describeMachine(),
    seed,
    rows: [],
  })
}

/** Adds what became of one fault. The test files run one after the other, so nobody else writes. */
export async function addRow(row: FaultRow): Promise<void> {
  const summary: Summary = JSON.parse(await readFile(summaryFile, 'utf8'))
  await write({ ...summary, rows: [...summary.rows, row] })
}

async function write(summary: Summary): Promise<void> {
  await mkdir(dirname(summaryFile), { recursive: true })
  await writeFile(summaryFile, `${JSON.stringify(summary, null, 2)}\n`)
}
