import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { enterParent, FileProblem, idAsName, isUuid, pathBelow } from './path-below'

const longName = 'x'.repeat(256)

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuq-below-'))
})
afterEach(() => rm(root, { recursive: true }))

it.each(['a', 'a/b.txt', '...', 'a b/ü', 'c:x', 'aux.py', 'end.'])('a received path can be %j', (path) => {
  expect(pathBelow('/root', path, 'linux')).toBe(`/root/${path}`)
})

it.each(['', '/etc/passwd', '..', 'a/../../b', './a', 'a//b', 'a/', 'a\\b', 'a\0b', 'a\nb', longName])(
  'a received path cannot be %j',
  (path) => expect(() => pathBelow('/root', path, 'linux')).toThrow(FileProblem),
)

it.each(['C:/x', 'C:x', 'a:stream', 'aux', 'b/NUL.txt', 'com1', 'LPT\u00b2.log', 'con .x', 'end.', 'end '])(
  'a received path on Windows cannot be %j',
  (path) => expect(() => pathBelow('/root', path, 'win32')).toThrow(FileProblem),
)

it.each([
  '',
  '..',
  '../x',
  '0190a3b4',
  '0190a3b4-0000-7000-8000-00000000000/',
  '------------------------------------',
])('an id in the name of a file cannot be %j', (id) => {
  expect(isUuid(id)).toBe(false)
  expect(() => idAsName(id)).toThrow('not a UUID')
})

it('creates the directories of a path, and follows no link on the way', async () => {
  const [inside, outside] = [join(root, 'inside'), join(root, 'outside')]
  for (const path of [inside, outside]) await mkdir(path)
  expect(await enterParent(inside, 'a/b/file', false)).toBeNull()
  expect(await enterParent(inside, 'a/b/file', true)).toBe(join(inside, 'a/b/file'))
  await symlink(outside, join(inside, 'a/link'))
  await symlink('link', join(inside, 'a/twice'))
  await writeFile(join(inside, 'plain'), '')
  for (const [path, why] of [
    ['a/link/new/file', 'a/link is a link'],
    ['a/twice/new/file', 'a/twice is a link'],
    ['plain/file', 'plain is not a directory'],
  ] as const)
    await expect(enterParent(inside, path, true)).rejects.toThrow(`${why} here. Remove or rename it.`)
  expect(await readdir(outside)).toEqual([])
})
