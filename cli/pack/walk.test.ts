import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { walk } from './walk'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-walk-'))
})
afterEach(() => rm(root, { recursive: true }))

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

const pathsOf = async (directory = root) => (await walk(directory)).files.map(({ path }) => path).toSorted()

const nested = {
  '.gitignore': '*.ckpt\n/data/*\n!/data/labels/\n__pycache__/\n*.log\n',
  'train.py': '',
  'model.ckpt': '',
  'data/raw.bin': '',
  'data/labels/a.txt': '',
  'data/labels/__pycache__/x.pyc': '',
  'pkg/.gitignore': '!important.log\nlocal/\n!*.ckpt\n/*.tmp\n',
  'pkg/important.log': '',
  'pkg/other.log': '',
  'pkg/local/file': '',
  'pkg/best.ckpt': '',
  'pkg/a.tmp': '',
  'pkg/deep/b.tmp': '',
  'pkg/deep/.gitignore': 'b*\n!b.tmp\nsecret',
  'pkg/deep/bc': '',
  'pkg/deep/secret': '',
}

describe('walking a directory', () => {
  it('includes the files that git would include, with rules in several directories', async () => {
    await write(nested)
    const git = (...args: string[]) => promisify(execFile)('git', ['-C', root, ...args])
    await git('init', '-q')
    const { stdout } = await git('ls-files', '--others', '--exclude-standard')
    const wanted = stdout.trim().split('\n').toSorted()
    expect(wanted).toContain('pkg/best.ckpt')
    expect(await pathsOf()).toEqual(wanted)
  })

  it('applies the rules of the enclosing repository', async () => {
    await write(nested)
    await mkdir(join(root, '.git'))
    expect(await pathsOf(join(root, 'pkg'))).toEqual(
      ['.gitignore', 'best.ckpt', 'deep/.gitignore', 'deep/b.tmp', 'important.log'].toSorted(),
    )
    // A user can still name a directory that git ignores.
    expect(await pathsOf(join(root, 'pkg', 'local'))).toEqual(['file'])
  })

  it('excludes the paths of .gpuqignore and every .git', async () => {
    await write({
      a: '',
      b: '',
      '.gpuqignore': 'b\n',
      'sub/.git/config': '',
      'sub/c': '',
      '.git': 'gitdir: x',
    })
    expect(await pathsOf()).toEqual(['.gpuqignore', 'a', 'sub/c'])
  })

  it('keeps links that stay inside the directory and does not follow them', async () => {
    await write({ 'runs/1/log': '' })
    await symlink('runs/1', join(root, 'latest'))
    await symlink('../runs', join(root, 'runs', 'self'))
    expect(await walk(root)).toMatchObject({
      files: [{ path: 'runs/1/log' }],
      links: [
        { path: 'latest', target: 'runs/1' },
        { path: 'runs/self', target: '../runs' },
      ],
    })
  })

  it('rejects links that lead outside and invalid names, and lists them all', async () => {
    await write({ 'a\\b': '', 'line\nbreak': '', fine: '' })
    await symlink('/etc/passwd', join(root, 'passwd'))
    await symlink('../..', join(root, 'up'))
    const refusal = await walk(root).catch((error: unknown) => String(error))
    for (const name of ['a\\\\b', 'line\\nbreak', 'passwd', '"up"', '.gpuqignore'])
      expect(refusal).toContain(name)
    await write({ '.gpuqignore': 'passwd\nup\na*\nline*\n' })
    expect(await pathsOf()).toEqual(['.gpuqignore', 'fine'])
  })

  it('reports a path that is missing or not a directory', async () => {
    await write({ file: '' })
    await expect(walk(join(root, 'file'))).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(walk(join(root, 'none'))).rejects.toMatchObject({ code: 'not_found' })
  })

  it('reads the mode of a file', async () => {
    await write({ 'run.sh': '' })
    await chmod(join(root, 'run.sh'), 0o755)
    const { files } = await walk(root)
    expect((files[0]?.stats.mode ?? 0) & 0o100).toBe(0o100)
  })
})
