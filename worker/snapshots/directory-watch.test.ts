import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DirectoryWatch } from './directory-watch'

let root: string
let opened: DirectoryWatch | null

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-watch-'))
  await mkdir(join(root, 'a/b'), { recursive: true })
  await writeFile(join(root, 'a/b/file'), 'text')
  opened = DirectoryWatch.open(root, ['', 'a', 'a/b'])
})
afterEach(async () => {
  opened?.close()
  await rm(root, { recursive: true, force: true })
})

const file = () => join(root, 'a/b/file')

it.each<[string, () => Promise<unknown>]>([
  ['a file grows', () => appendFile(file(), 'x')],
  ['a file is written again with the same length', () => writeFile(file(), 'TEXT')],
  ['the mode of a file changes', () => chmod(file(), 0o600)],
  ['a file is renamed', () => rename(file(), join(root, 'other'))],
  ['a file is removed', () => rm(file())],
  ['a directory appears', () => mkdir(join(root, 'a/new'))],
  ['a directory disappears', () => rm(join(root, 'a/b'), { recursive: true })],
])('notices that %s', async (_, change) => {
  expect(await opened?.isUnchanged()).toBe(true)
  await change()
  expect(await opened?.isUnchanged()).toBe(false)
})

it('notices no change by a program that reads', async () => {
  await readFile(file())
  await readdir(join(root, 'a'))
  expect(await opened?.isUnchanged()).toBe(true)
})

it('counts as changed after it was closed', async () => {
  opened?.close()
  expect(await opened?.isUnchanged()).toBe(false)
})

it('cannot be opened for a missing directory, or for too many', () => {
  expect(DirectoryWatch.open(root, ['', 'missing'])).toBeNull()
  expect(DirectoryWatch.open(root, new Array<string>(5_000).fill(''))).toBeNull()
})
