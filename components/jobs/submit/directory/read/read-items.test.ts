import { describe, expect, it } from 'vitest'
import { blankDraft } from '../../draft'
import { arrange, type Directory, toLocalFile } from '../directory'
import type { DroppedItem } from './dropped-items'
import { readItems } from './read-items'

type Tree = { [name: string]: string | Tree }

/** A folder as the browser gives it for a drop: its children come in parts, the last one is empty. */
function folderOf(name: string, tree: Tree, opened: string[] = []): FileSystemDirectoryEntry {
  const children = Object.entries(tree).map(([child, content]) =>
    typeof content === 'string' ? fileOf(child, content) : folderOf(child, content, opened),
  )
  const createReader = () => {
    opened.push(name)
    const parts = [children.slice(0, 2), children.slice(2), []]
    return { readEntries: (done: (part: unknown[]) => void) => done(parts.shift() ?? []) }
  }
  return { name, isFile: false, isDirectory: true, createReader } as unknown as FileSystemDirectoryEntry
}

function fileOf(name: string, content: string): FileSystemFileEntry {
  const file = (done: (file: File) => void) => done(new File([content], name))
  return { name, isFile: true, isDirectory: false, file } as unknown as FileSystemFileEntry
}

const folder = (name: string, tree: Tree, opened?: string[]): DroppedItem => ({
  kind: 'folder',
  folder: folderOf(name, tree, opened),
})
const file = (name: string, text = ''): DroppedItem => ({ kind: 'file', file: new File([text], name) })

const read = (items: DroppedItem[], directory: Directory | null = null, draft = blankDraft) =>
  readItems(items, { draft, directory, maxBytes: 1_000_000 })
const pathsOf = (directory: Directory | null) => directory?.entries.map(({ path }) => path).toSorted()

describe('a dropped folder', () => {
  it('is the directory of the job; what its rules exclude is not opened', async () => {
    const opened: string[] = []
    const tree = {
      '.gitignore': 'data/\n*.log\n',
      'a.log': '',
      'main.py': 'x',
      data: { 'large.bin': 'x' },
      src: { '.gpuqignore': '/tmp\n', tmp: { y: '' }, 'b.py': '' },
      '.git': { config: '' },
    }
    const { directory, accepted } = await read([folder('project', tree, opened)])
    expect(directory).toMatchObject({ name: 'project', configFile: null })
    expect(pathsOf(directory)).toEqual(['.gitignore', 'main.py', 'src/.gpuqignore', 'src/b.py'])
    expect(directory?.excluded.map(({ path, rule }) => [path, rule.file, rule.line])).toEqual([
      ['.git/', null, null],
      ['a.log', '.gitignore', 2],
      ['data/', '.gitignore', 1],
      ['src/tmp/', 'src/.gpuqignore', 1],
    ])
    expect(opened).toEqual(['project', 'src'])
    expect(accepted).toEqual(['project'])
  })

  it('brings its config, and ends the use of an earlier directory', async () => {
    const draft = { code: '', config: `project_id: p\narchive: "${'ab'.repeat(32)}"\n` }
    const plain = await read([folder('project', { 'main.py': '' })], null, draft)
    expect(plain.change).toEqual({ config: 'project_id: p\n' })
    const own = { 'main.py': '', 'config.yaml': 'project_id: own\ntoken: gpuq_0123456789\n' }
    const { change, directory, droppedToken } = await read([folder('project', own)], null, draft)
    expect(change).toEqual({ config: 'project_id: own\n' })
    expect(droppedToken).toBe(true)
    expect(directory?.configFile).toBe('config.yaml')
    expect(pathsOf(directory)).toEqual(['main.py'])
  })

  it('without files for the job is refused', async () => {
    await expect(read([folder('empty', {})])).rejects.toThrow('empty has no files for the job')
    await expect(read([folder('empty', { '.git': { x: '' } })])).rejects.toThrow('has no files')
  })

  it('replaces another folder, and joins loose files', async () => {
    const loose = arrange({ name: null, configFile: null }, [toLocalFile('main.py', '')])
    const tree = { '.gitignore': 'x\n', 'a.csv': '', x: { y: '' } }
    const joined = await read([folder('data', tree)], loose)
    expect(pathsOf(joined.directory)).toEqual(['data/.gitignore', 'data/a.csv', 'main.py'])
    expect(joined.directory?.excluded).toMatchObject([{ path: 'data/x/', rule: { file: 'data/.gitignore' } }])
    const named = arrange({ name: 'old', configFile: null }, [toLocalFile('main.py', '')])
    const replaced = await read([folder('data', tree)], named)
    expect(pathsOf(replaced.directory)).toEqual(['.gitignore', 'a.csv'])
  })
})

describe('dropped files', () => {
  it('are the program and the config, or a directory with the program', async () => {
    const both = await read([file('train.py', 'print(1)'), file('config.yaml', 'name: x\n')])
    expect(both).toMatchObject({ directory: null, change: { code: 'print(1)', config: 'name: x\n' } })
    const draft = { code: 'import a\n', config: '' }
    const { directory } = await read([file('a.py'), file('b.csv')], null, draft)
    expect(pathsOf(directory)).toEqual(['a.py', 'b.csv', 'solution.py'])
    expect(directory?.name).toBeNull()
  })

  it('replace the program in the editor if they have its name', async () => {
    const draft = { code: 'old', config: '' }
    const { directory } = await read([file('solution.py', 'new'), file('b.csv')], null, draft)
    const solution = directory?.entries.find(({ path }) => path === 'solution.py')
    expect(solution && 'content' in solution && (await solution.content.text())).toBe('new')
  })

  it('are added to the directory, also with other rules', async () => {
    const before = arrange({ name: 'project', configFile: null }, [toLocalFile('main.py', '')])
    const { directory } = await read([file('a.py'), file('.gpuqignore', 'main.py\n')], before)
    expect(pathsOf(directory)).toEqual(['.gpuqignore', 'a.py'])
    expect(directory?.name).toBe('project')
  })
})
