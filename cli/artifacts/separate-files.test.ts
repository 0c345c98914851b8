import { link, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SeparateFiles } from './separate-files'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-separate-'))
})
afterEach(() => rm(root, { recursive: true }))

it('a file that the disk takes for one of the same download gets a name of its own', async () => {
  const files = new SeparateFiles(root)
  await writeFile(join(root, 'A.txt'), 'A')
  await files.add(join(root, 'A.txt'))
  // On a disk that ignores case, both names lead to one file. A hard link does so on every disk.
  await link(join(root, 'A.txt'), join(root, 'a.txt'))
  expect(await files.choose('a.txt')).toBe('a.txt-2')
  expect(await files.choose('A.txt')).toBe('A.txt-2')
  expect(await files.choose('b.txt')).toBe('b.txt')
})

it('a file of an earlier download keeps its name and is replaced', async () => {
  await writeFile(join(root, 'a.txt'), 'old')
  expect(await new SeparateFiles(root).choose('a.txt')).toBe('a.txt')
})
