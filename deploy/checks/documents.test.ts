import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { submitResultSchema } from '../../lib/contract/jobs'
import { root } from '../run/settings.mjs'
import { declaresTest } from './declared-tests'

interface Row {
  promise: string
  /** What shows it, as text. */
  shown: string
}

/** The rows of the tables of docs/documents.md, with abbreviated files written out. */
function readRows(text: string): Row[] {
  return text.split(/^## /m).flatMap((section) => {
    const short = new Map(
      [...section.matchAll(/`([^`]+)`\s+\("(\w)" below\)/g)].map(([, file = '', letter = '']) => [
        letter,
        file,
      ]),
    )
    return [...section.matchAll(/^\| (.*?) \| (.*) \|$/gm)]
      .filter(([, promise]) => promise !== 'promise' && promise !== '---')
      .map(([, promise = '', shown = '']) => ({
        promise,
        shown: shown.replace(/(?<=^|; )([A-Z])(?=:|;|$)/g, (_, letter) => `\`${short.get(letter)}\``),
      }))
  })
}

const testFile = /^`([^`]+\.(?:test|spec)\.ts)`(?:: (.*))?$/

/** The tests that a row names: a file and titles in it. A part that names no file has itself as the file. */
function testsOf({ shown }: Row): { file: string; titles: string[] }[] {
  return shown.split('; ').map((part) => {
    const [, file = part, titles = ''] = testFile.exec(part) ?? []
    return { file, titles: Array.from(titles.matchAll(/\*([^*]+)\*/g), ([, title = '']) => title) }
  })
}

describe('the tables of docs/documents.md', () => {
  const rows = readRows(readFileSync(join(root, 'docs', 'documents.md'), 'utf8'))

  it('have a row for each promise of five documents', () => {
    expect(rows.length).toBeGreaterThan(95)
  })

  it('name tests that exist', () => {
    const missing = rows.flatMap((row) =>
      testsOf(row).flatMap(({ file, titles }) => {
        const path = join(root, file)
        if (!existsSync(path)) return `${row.promise}: ${file}`
        const source = readFileSync(path, 'utf8')
        return titles.filter((title) => !declaresTest(source, title)).map((title) => `${file}: ${title}`)
      }),
    )
    expect(missing).toEqual([])
  })

  it('are read with their titles', () => {
    const text =
      '## 1\n`a.spec.ts` ("D" below)\n| promise | shown by |\n| --- | --- |\n| x | D: *one*, *two*; `b.test.ts` |\n'
    const [row] = readRows(text)
    expect(row?.promise).toBe('x')
    expect(row && testsOf(row)).toEqual([
      { file: 'a.spec.ts', titles: ['one', 'two'] },
      { file: 'b.test.ts', titles: [] },
    ])
  })
})

it('the answer to the curl command in the README is one that the server gives', () => {
  const [, answer = ''] =
    /^```json\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
  const { results, stdout } = z.strictObject(submitResultSchema.shape).parse(JSON.parse(answer))
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(results)
})
