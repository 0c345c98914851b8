import { describe, expect, it } from 'vitest'
import { type Entry, toManifest } from '../contract/archives/archive-manifest'
import { compareManifests } from './compare-manifests'

const file = (path: string, content: string, executable = false): Entry => ({
  path,
  bytes: content.length,
  sha256: content.padEnd(64, '0'),
  ...(executable && { executable: true as const }),
})
const compare = (before: Entry[], after: Entry[], limit = 1000) =>
  compareManifests(toManifest(before), toManifest(after), limit)

describe('comparing two directories', () => {
  it('finds added, removed and changed files with their sizes', () => {
    const changes = compare(
      [file('same', 'a'), file('gone', 'bbb'), file('train.py', 'cc')],
      [file('same', 'a'), file('new/data', 'ddddd'), file('train.py', 'ccc')],
    )
    expect(changes).toEqual({
      added: { files: 1, bytes: 5 },
      removed: { files: 1, bytes: 3 },
      changed: { files: 1, bytes: 3 },
      unchanged: { files: 1, bytes: 1 },
      files: [
        { path: 'gone', change: 'removed', bytes_before: 3, bytes_after: null },
        { path: 'new/data', change: 'added', bytes_before: null, bytes_after: 5 },
        { path: 'train.py', change: 'changed', bytes_before: 2, bytes_after: 3 },
      ],
      truncated: false,
    })
  })

  it('finds a changed mode, a changed link, and a file that became a link', () => {
    const changes = compare(
      [file('run', 'a'), { path: 'link', target: 'run' }, file('x', 'b'), { path: 'kept', target: 'run' }],
      [
        file('run', 'a', true),
        { path: 'link', target: 'x' },
        { path: 'x', target: 'run' },
        { path: 'kept', target: 'run' },
      ],
    )
    expect(changes.files.map(({ path, change }) => [path, change])).toEqual([
      ['link', 'changed'],
      ['run', 'changed'],
      ['x', 'changed'],
    ])
    expect(changes.unchanged.files).toBe(1)
  })

  it('lists no more files than the limit, and counts all', () => {
    const { files, added, truncated } = compare(
      [file('a', 'a')],
      ['a', 'b', 'c', 'd'].map((path) => file(path, 'a')),
      2,
    )
    expect(files.map(({ path }) => path)).toEqual(['b', 'c'])
    expect(added.files).toBe(3)
    expect(truncated).toBe(true)
  })

  it('finds nothing between equal directories', () => {
    const one = [file('a', 'a')]
    expect(compare(one, one)).toMatchObject({ files: [], unchanged: { files: 1 } })
  })
})
