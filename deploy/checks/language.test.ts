import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../run/settings.mjs'
import { findOpenTitles, findRiddles } from './language'

const patterns = [
  '*.ts',
  '*.tsx',
  '*.mjs',
  '*.js',
  '*.cjs',
  '*.py',
  '*.sh',
  '*.yaml',
  '*.yml',
  '*.prisma',
  'prisma/sql/*.sql',
  '*.md',
]

/** The text files of the project that people read. */
const files = execFileSync('git', ['ls-files', ...patterns], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !file.includes('/generated/') && !file.includes('/fixtures/'))

describe('sentences that have to be read twice', () => {
  it('are found in comments, texts and documents', () => {
    expect(findRiddles('a.ts', '/** Of the client. */\nconst a = 1 // Who asks.\n')).toHaveLength(2)
    expect(findRiddles('a.ts', ' * The end. So many run at a time.\n')).toHaveLength(1)
    expect(
      findRiddles('a.tsx', `<Field hint="Of a user." />\nconst b = 'What of it counts.'\n`),
    ).toHaveLength(2)
    expect(findRiddles('a.yaml', '# Who submits is known.\n')).toEqual(['a.yaml:1: # Who submits is known.'])
    expect(findRiddles('a.sql', '-- Of two jobs, one waits.\n')).toHaveLength(1)
    expect(findRiddles('a.tsx', '\n\n{/* Of ten there are two. */}\n')).toEqual([
      'a.tsx:3: {/* Of ten there are two. */}',
    ])
    expect(findRiddles('a.md', 'Members stay. Who left, has none.\n\n- Of ten, two.\n')).toHaveLength(2)
  })

  it('do not include questions, headings and quoted examples', () => {
    expect(findRiddles('a.md', '# Who can see a job\n\nWho can see a job? All members.\n')).toEqual([])
    expect(findRiddles('a.ts', "const title = 'Who can see this job?'\n")).toEqual([])
    expect(findRiddles('a.ts', '// The owner, of the job.\n')).toEqual([])
  })

  it('are not in the project', () => {
    const found = files
      .filter((file) => !file.startsWith('deploy/checks/language'))
      .flatMap((file) => findRiddles(file, readFileSync(join(root, file), 'utf8')))
    expect(found).toEqual([])
  })
})

describe('titles of tests that continue another sentence', () => {
  it('are found, also after a table of cases', () => {
    const text = "describe('a worker', () => {\n  it('that is killed loses nothing', () => {})\n"
    expect(findOpenTitles('a.test.ts', text)).toEqual(['a.test.ts:2: that is killed loses nothing'])
    expect(
      findOpenTitles('a.test.ts', "  it.each([[1], [f(2)]])('and %d is kept', () => {})\n"),
    ).toHaveLength(1)
    expect(findOpenTitles('a.test.ts', "it.skipIf(!isRoot)(\n  'it ends', () => {})\n")).toHaveLength(1)
  })

  it('do not include whole sentences and the steps of a test', () => {
    expect(findOpenTitles('a.test.ts', "it('a worker that is killed loses nothing', () => {})\n")).toEqual([])
    expect(findOpenTitles('a.spec.ts', "  await test.step('it waits', async () => {})\n")).toEqual([])
  })

  it('are not in the project', () => {
    const found = files
      .filter((file) => /\.(?:test|spec)\.tsx?$/.test(file) && !file.startsWith('deploy/checks/language'))
      .flatMap((file) => findOpenTitles(file, readFileSync(join(root, file), 'utf8')))
    expect(found).toEqual([])
  })
})
