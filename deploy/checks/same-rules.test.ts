import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { walk } from '@/cli/pack/walk'
import { describeLeftOut } from '@/components/jobs/submit/directory/directory'
import { readItems } from '@/components/jobs/submit/directory/read/read-items'
import {
  fakeFolder,
  filesOfTree,
  type Tree,
} from '@/components/jobs/submit/directory/read/testing/fake-folder'
import { blankDraft } from '@/components/jobs/submit/draft'
import cases from '@/lib/contract/archives/rules/ignore-cases.json'
import { defaultPatterns } from '@/lib/contract/archives/rules/ignore-rules'

interface Case {
  name: string
  files: string[]
  rules?: Partial<Record<string, string>>
  tracked?: string[]
  sent: string[]
  line?: string | null
}

interface Selected {
  paths: string[]
  line: string | null
}

const run = promisify(execFile)
const gitEnv = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
const git = async (directory: string, ...args: string[]) => {
  const options = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always']
  const { stdout } = await run('git', ['-C', directory, ...options, ...args], {
    env: gitEnv,
  })
  return stdout
}

let root: string
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'gpuq-same-rules-')))
})
afterAll(() => rm(root, { recursive: true }))

async function write(directory: string, files: Record<string, string>): Promise<void> {
  await mkdir(directory, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, dirname(path)), { recursive: true })
    await writeFile(join(directory, path), text)
  }
}

async function byCommandLine(directory: string): Promise<Selected> {
  const { files, leftOut } = await walk(directory)
  return { paths: files.map(({ path }) => path).toSorted(), line: leftOut.describe() }
}

/** The Python client, once for all directories. */
async function byPython(directories: readonly string[]): Promise<Selected[]> {
  const program = `
import json, sys
from pathlib import Path
sys.path.insert(0, ${JSON.stringify(resolve('cli/python'))})
sys.dont_write_bytecode = True
import gpuq
answers = []
for directory in json.load(sys.stdin):
    found, left_out = gpuq._walk(Path(directory))
    answers.append({"paths": sorted(entry.path for entry in found), "line": left_out.describe()})
print(json.dumps(answers))
`
  const child = run('python3', ['-S', '-W', 'error', '-c', program], { maxBuffer: 64 * 1024 * 1024 })
  child.child.stdin?.end(JSON.stringify(directories))
  return JSON.parse((await child).stdout) as Selected[]
}

async function byPage(directory: string, how: 'dropped' | 'chosen'): Promise<Selected> {
  const tree = await readTree(directory)
  const item =
    how === 'dropped'
      ? ({ kind: 'folder', folder: fakeFolder('project', tree) } as const)
      : ({ kind: 'listed', name: 'project', files: filesOfTree(tree).map(toChosenFile) } as const)
  const { directory: read } = await readItems([item], { draft: blankDraft, directory: null, maxBytes: 1e9 })
  if (read === null) throw new Error('it is no directory')
  return { paths: read.entries.map(({ path }) => path).toSorted(), line: describeLeftOut(read) }
}

function toChosenFile([path, content]: ReturnType<typeof filesOfTree>[number]): File {
  return Object.assign(new File([content], path), { webkitRelativePath: `project/${path}` })
}

async function readTree(directory: string): Promise<Tree> {
  const entries = await readdir(directory, { withFileTypes: true })
  const read = entries.map(async (entry) => {
    const path = join(directory, entry.name)
    return [
      entry.name,
      entry.isDirectory() ? await readTree(path) : new Uint8Array(await readFile(path)),
    ] as const
  })
  return Object.fromEntries(await Promise.all(read))
}

/** Creates the directories of all cases, and returns them with their cases. */
async function makeCases(indexVersion: 2 | 4): Promise<[directory: string, given: Case][]> {
  const made: [string, Case][] = []
  for (const [number, given] of (cases as Case[]).entries()) {
    const directory = join(root, `${indexVersion}-${number}`)
    const files = Object.fromEntries(given.files.map((path) => [path, 'x']))
    await write(directory, { ...files, ...(given.rules as Record<string, string>) })
    if (given.tracked) {
      await git(directory, 'init', '-q')
      await git(directory, 'add', '-f', '--', ...given.tracked)
      await git(directory, 'update-index', '--index-version', String(indexVersion))
    }
    made.push([directory, given])
  }
  return made
}

describe('the files of a directory', () => {
  it.each([2, 4] as const)(
    'are the same in each client, with version %d of the index of git',
    async (version) => {
      const made = await makeCases(version)
      const python = await byPython(made.map(([directory]) => directory))
      for (const [index, [directory, given]] of made.entries()) {
        const { name, sent, line } = given
        const answers = {
          'command line': await byCommandLine(directory),
          'Python client': python[index],
          'dropped folder': await byPage(directory, 'dropped'),
          'chosen folder': await byPage(directory, 'chosen'),
        }
        for (const [client, answer] of Object.entries(answers)) {
          expect({ name, client, paths: answer?.paths }).toEqual({ name, client, paths: sent.toSorted() })
          if (line !== undefined) expect({ name, client, line: answer?.line }).toEqual({ name, client, line })
        }
      }
    },
  )

  it('are those that git would send, if no rule of gpuq applies', async () => {
    const made = (await makeCases(2)).filter(
      ([, { files, rules = {} }]) =>
        !Object.keys(rules).some((name) => name.endsWith('.gpuqignore')) &&
        !files.some((path) =>
          path.split('/').some((name) => defaultPatterns.some((known) => known === name)),
        ),
    )
    expect(made.length).toBeGreaterThan(4)
    for (const [directory, { name, sent, tracked }] of made) {
      if (!tracked) await git(directory, 'init', '-q')
      const listed = await git(directory, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
      const paths = listed.split('\0').filter((path) => path !== '')
      expect({ name, paths: paths.toSorted() }).toEqual({ name, paths: sent.toSorted() })
    }
  })

  it('are those that git would send, whatever the patterns are', async () => {
    const directory = join(root, 'random')
    const part = fc.constantFrom(
      'a',
      'b',
      'ab',
      '*',
      '?',
      '[ab]',
      '[!a]',
      '[^b]',
      '[a-c]',
      '\\a',
      '*b',
      'a*',
      '[]a]',
      '\\b',
      ' ',
    )
    const name = fc
      .array(part, { minLength: 1, maxLength: 2 })
      .map((parts) => parts.join(''))
      // What git does with stars beside other characters differs between its versions.
      .filter((text) => !text.includes('**'))
    const glob = fc.tuple(
      fc.constantFrom('', '', '', '!', '/', '!/'),
      fc.array(fc.oneof(name, name, fc.constantFrom('**', '***')), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '', '', '/', '/**', ' ', '\\ '),
    )
    const line = glob.map(([start, names, end]) => start + names.join('/') + end)
    const texts = fc.sample(fc.array(line, { minLength: 1, maxLength: 4 }), { seed: 1, numRuns: 60 })
    const paths = [
      'a',
      'b',
      'ab',
      'c',
      'a ',
      'x/a',
      'x/b',
      'x/y/ab',
      'aa/b/c',
      'bb/a/b',
      'ab a/b',
      'ba/ca',
      'abc/a',
    ]
    for (const [number, lines] of texts.entries()) {
      const files = Object.fromEntries(paths.map((path) => [`${number}/${path}`, '']))
      await write(directory, { ...files, [`${number}/.gitignore`]: lines.join('\n') })
    }
    await git(directory, 'init', '-q')
    const listed = await git(directory, 'ls-files', '-z', '--others', '--exclude-standard')
    const wanted = new Set(listed.split('\0').filter((path) => path !== ''))
    const [python] = await byPython([directory])
    const answers = { 'command line': await byCommandLine(directory), 'Python client': python }
    for (const [client, answer] of Object.entries(answers)) {
      const found = new Set(answer?.paths)
      const differs = [...new Set([...wanted, ...found])].filter(
        (path) => wanted.has(path) !== found.has(path),
      )
      const shown = differs.map((path) => [path, wanted.has(path), texts[Number(path.split('/')[0])]])
      expect({ client, shown }).toEqual({ client, shown: [] })
    }
  })

  it('include what git tracks in other kinds of repositories', async () => {
    const files = { '.gitignore': 'data/\n', 'data/train.csv': '1', 'data/other.csv': '2', 'main.py': '' }
    const tracked = ['.gitignore', 'data/train.csv', 'main.py']
    const make = async (name: string, ...init: string[]) => {
      const directory = join(root, name)
      await write(directory, files)
      await git(directory, 'init', '-q', ...init)
      await git(directory, 'add', '-f', '--', '.gitignore', 'data/train.csv')
      return directory
    }
    const sha256 = await make('sha256', '--object-format=sha256')
    const split = await make('split')
    await git(split, 'update-index', '--split-index')
    await git(split, 'add', 'main.py')
    const intended = await make('intended')
    await git(intended, 'rm', '-q', '--cached', 'data/train.csv')
    await git(intended, 'add', '-f', '-N', 'data/train.csv')
    const plain = await make('plain')
    await git(plain, 'add', 'main.py')
    await git(plain, 'commit', '-q', '-m', 'first')
    const worktree = join(root, 'worktree')
    await git(plain, 'worktree', 'add', '-q', worktree)
    await writeFile(join(worktree, 'data/other.csv'), '2')
    const outer = join(root, 'outer')
    await write(outer, { '.gitignore': 'lib/\n*.csv\n', 'notes.csv': '' })
    await git(outer, 'init', '-q')
    await git(outer, 'submodule', '--quiet', 'add', '-f', plain, 'lib')
    await writeFile(join(outer, 'lib/data/other.csv'), '2')
    const below = tracked.map((path) => `lib/${path}`)

    const directories = [sha256, split, intended, worktree, outer, join(outer, 'lib'), join(plain, 'data')]
    const python = await byPython(directories)
    const wanted = [
      ...[tracked, tracked, tracked, tracked],
      ['.gitignore', '.gitmodules', ...below],
      tracked,
      // The user names the directory, so everything in it is meant.
      ['other.csv', 'train.csv'],
    ]
    for (const [index, directory] of directories.entries()) {
      expect([directory, (await byCommandLine(directory)).paths]).toEqual([directory, wanted[index]])
      expect([directory, python[index]?.paths]).toEqual([directory, wanted[index]])
    }
    for (const [index, directory] of [sha256, split, intended].entries())
      expect((await byPage(directory, 'dropped')).paths).toEqual(wanted[index])
    for (const how of ['dropped', 'chosen'] as const)
      expect((await byPage(outer, how)).paths).toEqual(wanted[4])
  })

  it('include what git tracks below a part of a repository', async () => {
    const directory = join(root, 'part')
    await write(directory, {
      '.gitignore': '*.csv\n',
      'pkg/a.csv': '',
      'pkg/b.csv': '',
      'pkg/.env': '',
      'pkg/sub/c.csv': '',
    })
    await git(directory, 'init', '-q')
    await git(directory, 'add', '-f', 'pkg/a.csv', 'pkg/sub/c.csv')
    const part = join(directory, 'pkg')
    const [python] = await byPython([part])
    const wanted = {
      paths: ['a.csv', 'sub/c.csv'],
      line: 'Not sent: 2 files: *.csv (.gitignore), .env (default). To send some of them, add a line !NAME to .gpuqignore.',
    }
    expect(await byCommandLine(part)).toEqual(wanted)
    expect(python).toEqual(wanted)
  })

  it('are decided by the rules alone if the index cannot be read, and the line says so', async () => {
    const directory = join(root, 'broken')
    await write(directory, {
      '.gitignore': 'data\n',
      'data/a': '',
      'main.py': '',
      '.git/index': 'DIRC nonsense',
    })
    const [python] = await byPython([directory])
    const wanted = {
      paths: ['.gitignore', 'main.py'],
      line: 'Not sent: 1 file: data (.gitignore). To send some of them, add a line !NAME to .gpuqignore. gpuq cannot read the index of .git, so it does not know what git tracks.',
    }
    expect(await byCommandLine(directory)).toEqual(wanted)
    expect(python).toEqual(wanted)
    for (const how of ['dropped', 'chosen'] as const) expect(await byPage(directory, how)).toEqual(wanted)
    await rm(join(directory, '.git'), { recursive: true })
    await writeFile(join(directory, '.git'), 'gitdir: /elsewhere/.git/worktrees/broken')
    for (const how of ['dropped', 'chosen'] as const) expect(await byPage(directory, how)).toEqual(wanted)
  })

  it('are named with those that have no content', async () => {
    const directory = join(root, 'empty')
    await write(directory, { 'main.py': '' })
    await mkdir(join(directory, 'out/deep'), { recursive: true })
    await run('mkfifo', [join(directory, 'pipe')])
    const [python] = await byPython([directory])
    const line = 'Not sent: 1 file: pipe (not a file); 1 empty directory: out/deep/.'
    expect(await byCommandLine(directory)).toEqual({ paths: ['main.py'], line })
    expect(python).toEqual({ paths: ['main.py'], line })
  })

  it('are sent by the Python client with a line about the others, which a program can turn off', async () => {
    const directory = join(root, 'warned')
    await write(directory, { 'main.py': '', '.env': 'KEY=example' })
    const program = `
import logging, sys
from pathlib import Path
sys.path.insert(0, ${JSON.stringify(resolve('cli/python'))})
sys.dont_write_bytecode = True
import gpuq
def sent():
    limits = {"max_bytes": 1000, "max_entries": 10}
    return [entry["path"] for entry in gpuq._list_directory(Path(${JSON.stringify(directory)}), limits, gpuq._Progress(None))]
print(sent())
logging.getLogger("gpuq").setLevel(logging.ERROR)
print(sent())
`
    const { stdout, stderr } = await run('python3', ['-S', '-W', 'error', '-c', program])
    expect(stdout).toBe("['main.py']\n['main.py']\n")
    expect(stderr).toBe(
      'Not sent: 1 file: .env (default). To send some of them, add a line !NAME to .gpuqignore.\n',
    )
  })
})
