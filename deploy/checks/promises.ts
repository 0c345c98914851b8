/** The promises of gpuq, with the tests that show them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import type { TestedRow } from './hostile-rows'

const tableSchema = z.record(z.string(), z.record(z.string(), z.array(z.string()).min(1)))

const start = '<!-- promises -->\n'
const end = '<!-- end of promises -->'

/** The rows of `promises.yaml`. */
export function readPromises(): TestedRow[] {
  const text = readFileSync(join(import.meta.dirname, 'promises.yaml'), 'utf8')
  return Object.entries(tableSchema.parse(parse(text))).map(([name, files]) => ({
    name,
    tests: Object.entries(files).flatMap(([file, titles]) => titles.map((title) => ({ file, title }))),
  }))
}

/** Replaces the table of the promises in the text of docs/reliability.md. */
export function renewPromises(text: string, promises: readonly TestedRow[]): string {
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from === -1 || to < from) throw new Error(`docs/reliability.md lacks "${start.trim()}" or "${end}".`)
  return `${text.slice(0, from + start.length)}\n${renderTable(promises)}\n${text.slice(to)}`
}

function renderTable(promises: readonly TestedRow[]): string {
  const rows = promises.map(({ name, tests }) => {
    const files = [...new Set(tests.map(({ file }) => `\`${file}\``))]
    return `| ${name} | ${files.join(', ')} |`
  })
  return ['| promise | shown by |', '| --- | --- |', ...rows, ''].join('\n')
}
