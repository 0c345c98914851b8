import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../run/settings.mjs'
import { compileOverlay } from './compile-overlay'
import { applyDiff, readExamples, type WorkedExample } from './read-examples'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const withoutEnding = (file: string) => file.replace(/\.tsx?$/, '')
/** Examples whose blocks name no files are text only: nothing can be applied. */
const examples = readExamples(read('CONTRIBUTING.md')).filter(({ changes }) => changes.length > 0)

/** The project with all examples at once. @throws for a change that does not fit the file. */
function applied(all: readonly WorkedExample[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { title, changes } of all)
    for (const { file, kind, text } of changes) {
      if (kind === 'new' ? existsSync(join(root, file)) : !existsSync(join(root, file)))
        throw new Error(`"${title}": ${file} ${kind === 'new' ? 'exists already' : 'does not exist'}.`)
      try {
        texts.set(file, kind === 'new' ? text : applyDiff(texts.get(file) ?? read(file), text))
      } catch (error) {
        throw new Error(`"${title}": ${file}`, { cause: error })
      }
    }
  return texts
}

/** The sources that import one of the files. They are compiled too, because a change can break them. */
function importersOf(files: readonly string[]): string[] {
  const modules = new Set(files.map(withoutEnding))
  // The pages that show a column are enough: the others take half of the time, and `npm run types` checks them.
  const listed = execFileSync('git', ['ls-files', 'lib', 'cli', 'worker', 'components/jobs/list'], {
    cwd: root,
    encoding: 'utf8',
  })
  const sources = listed
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !/\.(test|spec)\.tsx?$/.test(file))
  const isImported = (file: string, from: string) =>
    modules.has(from.startsWith('@/') ? from.slice(2) : join(dirname(file), from))
  return sources.filter((file) =>
    Array.from(read(file).matchAll(/ from '([^']+)'/g)).some(([, from = '']) => isImported(file, from)),
  )
}

describe('the worked examples of CONTRIBUTING.md', () => {
  it('have code for a config key, an operation, a wait reason and a column of the job list', () => {
    expect(examples.map(({ title }) => title)).toEqual([
      'A new config key',
      'A new API operation',
      'A new reason why a job waits',
      'A new column in the job list',
    ])
  })

  it('compile, with all files that import a changed one', () => {
    const texts = applied(examples)
    const sources = [...texts.keys()].filter((file) => /\.tsx?$/.test(file))
    expect(sources.length).toBeGreaterThan(5)
    expect(compileOverlay(texts, [...new Set([...sources, ...importersOf(sources)])])).toEqual([])
  })

  it.each(examples.map((example) => [example.title, example] as const))(
    '%s: the text names files that exist',
    (_, { changes, named }) => {
      const made = new Set(changes.map(({ file }) => file))
      expect(named.filter((name) => !made.has(name) && !existsSync(join(root, name)))).toEqual([])
    },
  )

  it.each([
    ['A new config key', 6],
    ['A new API operation', 5],
    ['A new reason why a job waits', 5],
    ['A new column in the job list', 4],
  ])('%s: takes at most %d files, with the CHANGELOG', (title, most) => {
    const files = examples.find((example) => example.title === title)?.changes.map(({ file }) => file)
    expect(new Set(files).size + 1).toBeLessThanOrEqual(most)
  })
})

describe('an example', () => {
  it('has the code of blocks that name a file, without the indentation of a list', () => {
    const text =
      '## Worked examples\n\n### A\n\n1. See `lib/a.ts`:\n\n   ```diff lib/b.ts\n    b\n   +c\n   ```\n\n## Next\n'
    expect(readExamples(text)).toEqual([
      { title: 'A', changes: [{ file: 'lib/b.ts', kind: 'diff', text: ' b\n+c\n' }], named: ['lib/a.ts'] },
    ])
  })

  it('changes the only place that has the lines of its diff', () => {
    expect(applyDiff('a\nb\nc\n', ' a\n-b\n+d\n+e\n')).toBe('a\nd\ne\nc\n')
    expect(() => applyDiff('a\nb\na\n', ' a\n+d\n')).toThrow('2 times')
    expect(() => applyDiff('a\nb\n', ' x\n+d\n')).toThrow('0 times')
    expect(() => applyDiff('a\n', 'a\n')).toThrow('begins with none')
  })

  it('an example with an error in a changed file, or in one that imports it, does not compile', () => {
    const texts = new Map([['lib/contract/parse-json.ts', 'export const other: string = 1\n']])
    expect(compileOverlay(texts, ['lib/contract/parse-json.ts', 'lib/results/json-text.ts'])).toEqual([
      expect.stringMatching(/^lib\/contract\/parse-json\.ts:1: Type 'number' is not assignable/),
      expect.stringMatching(/^lib\/results\/json-text\.ts:\d+: .*parseJson/),
    ])
  })
})
