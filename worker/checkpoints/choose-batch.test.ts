import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CheckpointFile } from '@/lib/checkpoints/checkpoint-files'
import type { FoundFile } from '../files/safe-walk'
import { chooseBatch, initialFiles, type KnownFile } from './choose-batch'

const file = (path: string, at: number, more: Partial<FoundFile> = {}): FoundFile => ({
  path,
  bytes: 10,
  dataBytes: 10,
  mtimeNs: BigInt(at),
  ctimeNs: BigInt(at),
  inode: 1n,
  executable: false,
  ...more,
})
const known = (...files: FoundFile[]) =>
  new Map<string, KnownFile>(files.map((as) => [as.path, { object: `object of ${as.path}`, as }]))
const paths = (files: readonly { path: string }[]) => files.map(({ path }) => path)
const running = { steadyBefore: 100n, absentBefore: new Set<string>() }
const ended = { steadyBefore: null, absentBefore: new Set<string>() }

describe('a batch', () => {
  it('contains new and changed files, the oldest change first', () => {
    const before = known(
      file('same', 1),
      file('longer', 2),
      file('later', 2),
      file('other', 3),
      file('run', 4),
    )
    const now = [
      file('later', 9),
      file('same', 1, { ctimeNs: 50n }),
      file('longer', 2, { bytes: 11 }),
      file('other', 3, { inode: 2n }),
      file('run', 4, { executable: true }),
      file('new', 8),
    ]
    const { take, complete } = chooseBatch(now, before, running)
    expect(paths(take)).toEqual(['longer', 'other', 'run', 'new', 'later'])
    expect(complete).toBe(true)
  })

  it('ends before files that changed during the scan, and keeps missing files in the record', () => {
    const files = [file('latest', 60), file('weights', 50, { ctimeNs: 100n }), file('older', 40)]
    const choice = chooseBatch(files, known(file('gone', 1)), { ...running, absentBefore: new Set(['gone']) })
    expect(paths(choice.take)).toEqual(['older'])
    expect(choice).toMatchObject({ complete: false, gone: [], absent: new Set(['gone']) })
  })

  it('contains everything when nobody writes any more', () => {
    const choice = chooseBatch([file('weights', 500)], known(file('gone', 1)), ended)
    expect(paths(choice.take)).toEqual(['weights'])
    expect(paths(choice.gone)).toEqual(['gone'])
  })

  it('removes a file that two scans did not find, with the object it knows', () => {
    const before = known(file('old', 1))
    const first = chooseBatch([], before, running)
    expect(first.gone).toEqual([])
    const second = chooseBatch([file('renamed', 1)], before, { ...running, absentBefore: first.absent })
    expect(second.gone).toEqual([{ path: 'old', object: 'object of old' }])
    expect(paths(second.take)).toEqual(['renamed'])
  })

  it('never contains a file without the ones written before it', () => {
    const changes = fc.uniqueArray(fc.tuple(fc.nat(20), fc.nat(20)), { selector: ([path]) => path })
    fc.assert(
      fc.property(changes, fc.nat(25), (given, steady) => {
        const files = given.map(([path, at]) => file(String(path), at))
        const { take } = chooseBatch(files, new Map(), { ...running, steadyBefore: BigInt(steady) })
        const last = take.at(-1)?.mtimeNs ?? -1n
        const taken = new Set(paths(take))
        expect(files.filter(({ path, mtimeNs }) => mtimeNs < last && !taken.has(path))).toEqual([])
        expect(take.every(({ ctimeNs }) => ctimeNs < BigInt(steady))).toBe(true)
      }),
    )
  })
})

describe('the initial knowledge of a task', () => {
  const row = (path: string, at: number, by: CheckpointFile['by']): CheckpointFile => ({
    path,
    by,
    object: `object of ${path}`,
    bytes: 10,
    sha256: '',
    mtimeNs: BigInt(at),
    executable: false,
    storedAt: new Date(0),
  })

  it('contains restored files and its own stored files, except those that changed since', () => {
    const restored = file('restored', 5, { ctimeNs: 30n })
    const stored = file('stored', 60)
    const files = [restored, stored, file('overwritten', 61), file('changed', 62), file('new', 63)]
    const rows = [
      row('restored', 1, 'earlier'),
      row('stored', 60, 'this'),
      row('overwritten', 2, 'earlier'),
      row('changed', 50, 'this'),
      row('deleted', 3, 'earlier'),
    ]
    const first = initialFiles(files, rows, 40n)
    const { take, absent } = chooseBatch(files, first, ended)
    expect(paths(take)).toEqual(['overwritten', 'changed', 'new'])
    expect(absent).toEqual(new Set(['deleted']))
  })

  it('leaves to a peer what the peer has stored', () => {
    const first = initialFiles([file('state', 5)], [row('state', 9, 'peer'), row('its', 9, 'peer')], 40n)
    expect(chooseBatch([file('state', 5)], first, ended).take).toEqual([])
    expect(chooseBatch([], first, ended).gone).toEqual([])
  })
})
