import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js'
import { describe, expect, it, vi } from 'vitest'
import { blankDraft } from '../../draft'
import { arrange, type Directory, describeLeftOut, toLocalFile, withEntries } from '../directory'
import type { FileMessage, FileRequest } from '../web-worker/process-files'
import { processFiles } from '../web-worker/process-files'
import type { DroppedItem } from './dropped-items'
import { readItems } from './read-items'
import { fakeFolder, type Tree } from './testing/fake-folder'

// There are no web workers here.
vi.mock('../web-worker/run-in-web-worker', () => ({
  runInWebWorker: (request: FileRequest, report: (message: FileMessage) => void) =>
    processFiles(request, report),
}))

const folder = (name: string, tree: Tree, opened?: string[]): DroppedItem => ({
  kind: 'folder',
  folder: fakeFolder(name, tree, opened),
})
const file = (name: string, text = ''): DroppedItem => ({ kind: 'file', file: new File([text], name) })

const read = (items: DroppedItem[], directory: Directory | null = null, draft = blankDraft) =>
  readItems(items, { draft, directory, maxBytes: 1_000_000 })
const pathsOf = (directory: Directory | null) => directory?.entries.map(({ path }) => path).toSorted()

describe('a dropped folder', () => {
  it('is the directory of the job; what its rules exclude is only counted', async () => {
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
    expect(directory?.excluded.map(({ unread }) => unread?.files)).toEqual([0, undefined, 1, 1])
    expect(opened).toEqual(['project', 'data', 'src', 'tmp'])
    expect(accepted).toEqual(['project'])
  })

  it('names its empty directories as not sent, until they have a file', async () => {
    const tree = { '.gitignore': 'tmp/\n', 'main.py': 'x', out: { deep: {} }, tmp: { none: {} } }
    const { directory } = await read([folder('project', tree)])
    if (directory === null) throw new Error('The folder is no directory.')
    expect(describeLeftOut(directory)).toBe('Not sent: 1 empty directory: out/deep/.')
    expect(describeLeftOut(withEntries(directory, [toLocalFile('out/deep/a', 'x')]))).toBeNull()
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

  it('a dropped folder without files for the job is refused', async () => {
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

describe('a dropped archive', () => {
  const zip = async (name: string, files: Record<string, string>): Promise<DroppedItem> => {
    const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false })
    for (const [path, content] of Object.entries(files)) await writer.add(path, new TextReader(content))
    return { kind: 'file', file: new File([await writer.close()], name) }
  }
  const makeProject = () => zip('project.zip', { 'project/main.py': 'x', 'project/a.csv': '1' })

  it('is unpacked, alone and with the config of the job', async () => {
    const project = await makeProject()
    const alone = await read([project])
    expect(pathsOf(alone.directory)).toEqual(['a.csv', 'main.py'])
    const config = file('config.yaml', 'project_id: p\ntoken: gpuq_0123456789\n')
    for (const items of [
      [project, config],
      [config, project],
    ]) {
      const { directory, change, accepted, droppedToken } = await read(items)
      expect(pathsOf(directory)).toEqual(['a.csv', 'main.py'])
      expect(directory?.name).toBe('project.zip')
      expect(change).toEqual({ config: 'project_id: p\n' })
      expect(accepted).toEqual(['project.zip', 'config.yaml'])
      expect(droppedToken).toBe(true)
    }
  })

  it('keeps its own config as a file if another config comes with it', async () => {
    const own = await zip('a.zip', { 'main.py': '', 'config.yaml': 'project_id: other\n' })
    const { directory, change } = await read([own, file('config.yaml', 'project_id: p\n')])
    expect(pathsOf(directory)).toEqual(['config.yaml', 'main.py'])
    expect(change).toEqual({ config: 'project_id: p\n' })
    const alone = await read([own])
    expect(pathsOf(alone.directory)).toEqual(['main.py'])
    expect(alone.change).toEqual({ config: 'project_id: other\n' })
  })

  it('keeps the directory that the config or a program beside it uses', async () => {
    const named = await read([await makeProject(), file('config.yaml', 'entrypoint: project/main.py\n')])
    expect(pathsOf(named.directory)).toEqual(['project/a.csv', 'project/main.py'])
    const program = await read([
      await zip('data.zip', { 'data/a.csv': '1' }),
      file('solution.py', 'open("data/a.csv")'),
    ])
    expect(pathsOf(program.directory)).toEqual(['data/a.csv', 'solution.py'])
  })

  it('has all of its files, whatever its ignore rules say, also after a change', async () => {
    const files = { 'main.py': '', '.gitignore': 'data\n', 'data/train.csv': '1', '.env': 'x' }
    const { directory } = await read([await zip('a.zip', files)])
    expect(pathsOf(directory)).toEqual(['.env', '.gitignore', 'data/train.csv', 'main.py'])
    const { directory: more } = await read([file('b.py')], directory)
    expect(pathsOf(more)).toEqual(['.env', '.gitignore', 'b.py', 'data/train.csv', 'main.py'])
  })

  it('stays a file if it comes with other files', async () => {
    const { directory } = await read([await makeProject(), file('main.py'), file('model.py')])
    expect(pathsOf(directory)).toEqual(['main.py', 'model.py', 'project.zip'])
  })
})
