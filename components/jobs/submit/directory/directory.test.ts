import { describe, expect, it } from 'vitest'
import {
  arrange,
  type Directory,
  findRefusedPaths,
  type LocalEntry,
  refuseNewPath,
  sumBytes,
  toLocalFile,
  withEntries,
  withoutEntry,
  withPath,
} from './directory'

const origin = { name: 'project', configFile: null }
const files = (texts: Record<string, string>): LocalEntry[] =>
  Object.entries(texts).map(([path, text]) => toLocalFile(path, text))
const pathsOf = ({ entries }: Directory) => entries.map(({ path }) => path).toSorted()

const project = {
  '.gitignore': '# data\n*.ckpt\n/venv/\n',
  'main.py': 'print(1)',
  'model.ckpt': 'weights',
  'venv/lib/a.py': 'a',
  'venv/lib/b.py': 'bb',
  'pkg/.gpuqignore': '!keep.ckpt\ntmp\n',
  'pkg/keep.ckpt': 'kept',
  'pkg/tmp': 't',
  '.git/config': 'x',
}

describe('arranging a directory', () => {
  it('separates what the rules exclude, and names each rule', () => {
    const directory = arrange(origin, files(project))
    expect(pathsOf(directory)).toEqual(['.gitignore', 'main.py', 'pkg/.gpuqignore', 'pkg/keep.ckpt'])
    const excluded = directory.excluded.map(({ path, rule, entries }) => [path, rule, sumBytes(entries)])
    expect(excluded).toEqual([
      ['.git/', { pattern: '.git', file: null, line: null }, 1],
      ['model.ckpt', { pattern: '*.ckpt', file: '.gitignore', line: 2 }, 7],
      ['pkg/tmp', { pattern: 'tmp', file: 'pkg/.gpuqignore', line: 2 }, 1],
      ['venv/', { pattern: '/venv/', file: '.gitignore', line: 3 }, 3],
    ])
  })

  it('decides again after an edit of the rules', () => {
    const before = arrange(origin, files(project))
    const without = withEntries(before, [toLocalFile('.gitignore', '')])
    expect(pathsOf(without)).toContain('venv/lib/a.py')
    expect(pathsOf(without)).toContain('model.ckpt')
    const added = withEntries(without, [toLocalFile('.gpuqignore', 'main.py\n')])
    expect(pathsOf(added)).not.toContain('main.py')
    expect(pathsOf(withoutEntry(added, '.gpuqignore'))).toContain('main.py')
  })

  it('keeps directories excluded whose content is unknown', () => {
    const unread = [{ path: 'data/', rule: { pattern: 'data', file: '.gitignore', line: 1 }, entries: [] }]
    const before = arrange(origin, files({ '.gitignore': 'data\n', 'main.py': '' }), unread)
    const after = withEntries(before, [toLocalFile('.gitignore', '')])
    expect(after.excluded).toEqual(unread)
    expect(pathsOf(after)).toEqual(['.gitignore', 'main.py'])
  })
})

describe('changing a directory', () => {
  it('replaces a content without deciding again', () => {
    const before = arrange(origin, files(project))
    const after = withEntries(before, [toLocalFile('main.py', 'print(2)')])
    expect(after.excluded).toBe(before.excluded)
    expect(after.entries.find(({ path }) => path === 'main.py')).toMatchObject({ text: 'print(2)' })
    expect(after.entries).toHaveLength(before.entries.length)
  })

  it('moves a file, also into and out of an excluded path', async () => {
    const before = arrange(origin, files({ '.gitignore': 'old/\n', 'a.py': 'a' }))
    const moved = await withPath(before, 'a.py', 'src/b.py')
    expect(pathsOf(moved)).toEqual(['.gitignore', 'src/b.py'])
    const excluded = await withPath(moved, 'src/b.py', 'old/b.py')
    expect(excluded.excluded.map(({ path }) => path)).toEqual(['old/'])
    expect(pathsOf(withEntries(excluded, [toLocalFile('.gitignore', '')]))).toContain('old/b.py')
  })

  it('takes the rules of a file that is renamed to a rules file', async () => {
    const content = new Blob(['a.py\n'])
    const before = arrange(origin, [{ path: 'rules', content }, toLocalFile('a.py', 'a')])
    expect(pathsOf(await withPath(before, 'rules', '.gpuqignore'))).toEqual(['.gpuqignore'])
  })
})

it('refuses a path that is taken, or that cannot be beside the others', () => {
  const directory = arrange(origin, files({ '.gitignore': 'x\n', 'src/a.py': '', x: '' }))
  expect(refuseNewPath(directory, 'src/b.py')).toBeNull()
  expect(refuseNewPath(directory, 'src/a.py')).toBe('is the path of another file')
  expect(refuseNewPath(directory, 'x')).toBe('is the path of another file')
  expect(refuseNewPath(directory, 'src')).toBe('is a directory')
  expect(refuseNewPath(directory, 'src/a.py/b')).toBe('is below src/a.py, which is a file')
  expect(refuseNewPath(directory, '../a')).toBe('holds ".."')
  expect(refuseNewPath(directory, '')).toBe('is empty')
})

it('finds paths and links that the server refuses', () => {
  const entries = [...files({ 'a\\b': '', 'c.py': '' }), { path: 'out', target: '../../etc' }]
  expect(findRefusedPaths(arrange(origin, entries))).toEqual([
    { path: 'a\\b', why: 'holds a backslash' },
    { path: 'out', why: 'leads out of the directory' },
  ])
})
