import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Row } from './judge'
import { type Results, renderPage } from './page'

const directory = join(import.meta.dirname, '..', '..', 'test-results')

/** The machine in words: processors, memory, kernel, Node. */
export function describeMachine(): string {
  const processors = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  const model = processors[0]?.model.trim() ?? 'unknown'
  return `${processors.length} × ${model}, ${memory} GiB, Linux ${release()}, Node ${process.version}`
}

/** Writes test-results/soak.html, and at the end soak.json and soak-samples.json. Returns the failed rows and the path of the page. */
export async function writeResults(results: Results): Promise<{ failed: Row[]; page: string }> {
  const { ended, date, machine, seed, hours, rows, samples, injected } = results
  await mkdir(directory, { recursive: true })
  const page = join(directory, 'soak.html')
  await writeFile(page, renderPage(results))
  if (ended) {
    const json = { suite: 'soak', date, machine, seed, hours, rows }
    await writeFile(join(directory, 'soak.json'), `${JSON.stringify(json, null, 2)}\n`)
    await writeFile(join(directory, 'soak-samples.json'), `${JSON.stringify({ samples, injected })}\n`)
  }
  return { failed: rows.filter(({ passed }) => !passed), page }
}
