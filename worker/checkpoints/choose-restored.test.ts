import { expect, it } from 'vitest'
import type { CheckpointFile } from '@/lib/checkpoints/checkpoint-files'
import { chooseRestored, directoriesAbove, refusePath } from './choose-restored'

const row = (path: string, at: number): CheckpointFile => ({
  path,
  object: path,
  bytes: 1,
  sha256: '',
  mtimeNs: 0n,
  executable: false,
  by: 'earlier',
  storedAt: new Date(at),
})
const chosen = (...rows: CheckpointFile[]) =>
  chooseRestored(rows)
    .map(({ path }) => path)
    .sort()

it.each(['../evil', '/etc/passwd', 'a/../../b', 'a//b', 'a/', '.', './a', 'a\0b', '', 'x'.repeat(1025)])(
  'refuses the path %j',
  (path) => {
    expect(refusePath(path)).not.toBeNull()
  },
)

it.each(['state.pt', 'step-10/rank 0/weights', '..a', 'a\n\u202eb', '-rf', 'ü'])(
  'accepts the path %j',
  (path) => {
    expect(refusePath(path)).toBeNull()
  },
)

it('keeps the later of a file and a directory of one name', () => {
  expect(chosen(row('a', 1), row('a/b', 2), row('c', 1))).toEqual(['a/b', 'c'])
  expect(chosen(row('a', 2), row('a/b', 1), row('a/c/d', 1))).toEqual(['a'])
  expect(chosen(row('a/b', 1), row('a', 2), row('a/c', 3))).toEqual(['a/b', 'a/c'])
  expect(chosen(row('ab', 1), row('a/b', 2))).toEqual(['a/b', 'ab'])
})

it('returns the parent directories of a file', () => {
  expect(directoriesAbove('a/b/c')).toEqual(['a', 'a/b'])
  expect(directoriesAbove('a')).toEqual([])
})
