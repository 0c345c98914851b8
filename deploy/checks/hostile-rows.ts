import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

/** A promise, a hostile job, a hostile request or a finding, with the tests that try it. */
export interface TestedRow {
  name: string
  tests: { file: string; title: string }[]
}

const tableSchema = z.record(
  z.enum(['jobs', 'requests', 'findings']),
  z.record(z.string(), z.record(z.string(), z.array(z.string()).min(1))),
)
const labels = { jobs: 'job', requests: 'request', findings: 'finding' }

/** The rows of `hostile-rows.yaml`, with the kind in their names. */
export function readHostileRows(): TestedRow[] {
  const table = tableSchema.parse(parse(readFileSync(join(import.meta.dirname, 'hostile-rows.yaml'), 'utf8')))
  return (['jobs', 'requests', 'findings'] as const).flatMap((kind) =>
    Object.entries(table[kind]).map(([name, files]) => ({
      name: `${labels[kind]}: ${name}`,
      tests: Object.entries(files).flatMap(([file, titles]) => titles.map((title) => ({ file, title }))),
    })),
  )
}

/** The files with the tests of the rows. */
export function hostileFiles(): string[] {
  return [...new Set(readHostileRows().flatMap(({ tests }) => tests.map(({ file }) => file)))]
}
